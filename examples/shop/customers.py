"""Customers: who they are, where their parcels go, and the list of all of them."""

from collections.abc import Iterable

from tablewright import Page

from .department import Department
from .errors import AddressBookFull, ReservedName, in_our_words
from .model import Address, Customer, all_customers, customer, customer_by_email

ERASED = "erased:"
"""User names that begin so belong to nobody any more: the orders of customers who were erased stand under them."""
MOST_ADDRESSES = 5


class Customers(Department):
    """Everything about customers but what they buy."""

    @in_our_words()
    def register(self, username: str, email: str, name: str, addresses: Iterable[Address] = ()) -> Customer:
        """A new customer. Fails if the user name or the email address is taken."""
        if username.startswith(ERASED):
            raise ReservedName(f"User names do not begin with {ERASED!r}.")
        return self._db.create(Customer(username=username, email=email, name=name, addresses=list(addresses)))

    def sign_in(self, email: str) -> Customer | None:
        """The customer with this email address, however it is typed."""
        return self._db.run(customer_by_email, email)

    def profile(self, username: str) -> Customer | None:
        """A customer by user name."""
        return self._db.run(customer, username)

    @in_our_words()
    def rename(self, username: str, name: str) -> Customer:
        """Another name on the letters."""
        return self._db.update(customer(username), set={"name": name})

    @in_our_words()
    def change_email(self, username: str, email: str) -> Customer:
        """Moves the customer to another address; the old one is free at once."""
        return self._db.update(customer(username), set={"email": email})

    @in_our_words()
    def add_address(self, username: str, address: Address) -> Customer:
        """One more place for parcels, of at most five; one that is there already is left alone."""

        def add(person: Customer) -> None:
            if address in person.addresses:
                return
            if len(person.addresses) == MOST_ADDRESSES:
                raise AddressBookFull(f"A customer has at most {MOST_ADDRESSES} addresses.")
            person.addresses = [*person.addresses, address]

        return self._db.revise(customer(username), add)

    @in_our_words()
    def remove_address(self, username: str, address: Address) -> Customer:
        """One place less; one that is not there is no error."""

        def remove(person: Customer) -> None:
            person.addresses = [known for known in person.addresses if known != address]

        return self._db.revise(customer(username), remove)

    def customers(self, from_name: str | None = None, cursor: str | None = None) -> Page[Customer]:
        """All customers by user name, fifty a page, from a name on."""
        return self._db.run(all_customers, from_name).page(cursor=cursor)
