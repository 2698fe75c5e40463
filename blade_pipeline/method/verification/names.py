"""How ids are written in a report."""


def bare(name: str) -> str:
    """A typed id as people write it, without the quotes of its JSON literal."""
    return name.replace('"', "")
