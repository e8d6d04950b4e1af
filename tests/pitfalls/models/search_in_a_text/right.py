"""Search for a word in a text: mended."""

from tablewright import Entity, Keys, Query, Table, query

app = Table("Shop")


class ProductWord(Entity, table=app):
    keys = Keys("WORD#{word}", "{category}#{product_id}")
    word: str
    category: str
    product_id: str


@app.pattern
def found_by_word(category: str, word: str) -> Query[ProductWord]:
    "Products of a category with a word in their name."
    return query(ProductWord, ProductWord.word == word, ProductWord.category == category)
