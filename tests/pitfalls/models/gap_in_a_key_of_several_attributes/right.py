"""A gap in a key of several attributes: mended."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Places", indexes=[GSI("ByPlace", pk="tenant", sk=["country", "state", "city"])])


class Site(Entity, table=app):
    keys = Keys("SITE#{site_id}", "SITE#{site_id}", ByPlace=("{tenant}", ("{country}", "{state}", "{city}")))
    site_id: str
    tenant: str
    country: str
    state: str
    city: str


@app.pattern
def sites_in(tenant: str, country: str, state: str, city: str) -> Query[Site]:
    "The sites in a city."
    return query(Site, Site.tenant == tenant, Site.country == country, Site.state == state, Site.city == city)
