"""x."""


class Record: ...


def cluster(x): ...
