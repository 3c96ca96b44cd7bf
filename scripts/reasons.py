"""Reasons of `unknown` by their codes, without what is special to one driver."""


def kind(region):
    """`code`, or `code: what ended the execution`, of a region of a report in JSON."""
    why = region.get("why") or {}
    code = why.get("code", "no reason recorded")
    ends = why.get("ends") or []
    if not ends:
        return code
    return f"{code}: {ends[0].get('what') or ends[0]['code']}"


def stopped(region):
    """Whether the run was ended before the region was decided."""
    return (region.get("why") or {}).get("code") == "stopped"
