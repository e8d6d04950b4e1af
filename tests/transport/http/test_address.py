"""Endpoints and proxies: what URLs and the environment mean."""

from __future__ import annotations

import pytest

from tablewright.errors import ConfigError
from tablewright.transport.http.address import Address, Proxy, find_proxy
from tablewright.transport.http.route import Route

AWS = Address.parse("https://dynamodb.eu-west-1.amazonaws.com")


@pytest.mark.parametrize(
    ("url", "address", "host_header"),
    [
        ("http://localhost:8000", Address("http", "localhost", 8000), "localhost:8000"),
        ("http://LOCALHOST", Address("http", "localhost", 80), "localhost"),
        ("https://a.b/", Address("https", "a.b", 443), "a.b"),
        ("https://a.b:443/c/d", Address("https", "a.b", 443, "/c/d"), "a.b"),
        ("http://[::1]:8000", Address("http", "::1", 8000), "[::1]:8000"),
    ],
)
def test_endpoints(url: str, address: Address, host_header: str) -> None:
    parsed = Address.parse(url)
    assert parsed == address
    assert parsed.host_header == host_header
    assert Address.parse(parsed.url) == parsed


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a",
        "http://",
        "http://user:s3cr3t@a",
        "http://a?s3cr3t",
        "http://a#s3cr3t",
        "http://a:99999",
        "http://a:s3cr3t",
        "http://a:0",
        "http://a b",
        "http://a/b c",
        "http://a/%2f",
        "http://a\r\nX: y",
        "http://[::1",
    ],
)
def test_what_is_no_endpoint_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Address.parse(url)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://p:3128"}, Proxy("p", 3128)),
        ({"https_proxy": "http://p:3128", "HTTPS_PROXY": "http://q"}, Proxy("p", 3128)),
        ({"HTTPS_PROXY": "p:3128"}, Proxy("p", 3128)),
        ({"HTTPS_PROXY": "http://p"}, Proxy("p", 80)),
        ({"HTTPS_PROXY": "http://me:a%3Ab@p"}, Proxy("p", 80, "Basic bWU6YTpi")),
        ({"HTTP_PROXY": "http://p"}, None),
        ({"HTTPS_PROXY": ""}, None),
    ],
)
def test_proxies(environment: dict[str, str], proxy: Proxy | None) -> None:
    assert find_proxy(AWS, environment) == proxy


@pytest.mark.parametrize(
    ("rules", "bypassed"),
    [
        ("*", True),
        ("amazonaws.com", True),
        (".amazonaws.com", True),
        ("*.amazonaws.com", True),
        ("other.test, DYNAMODB.eu-west-1.amazonaws.com", True),
        ("amazonaws.com:443", True),
        ("amazonaws.com:80", False),
        ("aws.com", False),
        ("", False),
        (",", False),
        (".", False),
        ("10.0.0.0/8", False),
    ],
)
def test_who_needs_no_proxy(rules: str, bypassed: bool) -> None:
    found = find_proxy(AWS, {"HTTPS_PROXY": "http://p", "NO_PROXY": rules})
    assert (found is None) is bypassed


@pytest.mark.parametrize(
    ("host", "rules", "bypassed"),
    [
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("[::1]", "::1", True),
        ("[::1]", "[::1]", True),
        ("127.0.0.1", "localhost,127.0.0.1", True),
        ("127.0.0.1", "not/a/network", False),
    ],
)
def test_addresses_that_need_no_proxy(host: str, rules: str, bypassed: bool) -> None:
    found = find_proxy(Address.parse(f"http://{host}"), {"http_proxy": "http://p", "no_proxy": rules})
    assert (found is None) is bypassed


def test_a_clients_header_names_no_proxy() -> None:
    address = Address.parse("http://a")
    cgi = {"REQUEST_METHOD": "POST", "HTTP_PROXY": "http://evil"}
    assert find_proxy(address, cgi) is None
    assert find_proxy(address, {**cgi, "http_proxy": "http://good"}) == Proxy("good", 80)


@pytest.mark.parametrize("url", ["socks5://u:s3cr3t@p", "https://u:s3cr3t@p", "http://u:s3cr3t@:1", "http://p:s3cr3t"])
def test_proxies_that_cannot_be_used_are_refused_without_their_password(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_proxy(AWS, {"HTTPS_PROXY": url})
    assert "s3cr3t" not in str(caught.value)


def test_a_proxys_password_never_shows() -> None:
    route = Route(Address.parse("http://a"), Proxy("p", 1, "Basic s3cr3t"))
    assert "s3cr3t" not in repr(route)


def test_certificates_that_cannot_be_read(tmp_path: object) -> None:
    for bundle in ("/no/such/file.pem", __file__):
        with pytest.raises(ConfigError, match="cannot be read"):
            Route.find(AWS, {}, bundle)
        for variable in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
            with pytest.raises(ConfigError, match="cannot be read"):
                Route.find(AWS, {variable: bundle})
            assert Route.find(Address.parse("http://a"), {variable: bundle}).tls is None
    assert Route.find(AWS, {}, str(tmp_path)).tls is not None
