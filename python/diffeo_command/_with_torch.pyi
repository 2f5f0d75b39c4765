needed_torch: str  # the version that networks need; empty in a build without them

def run(
    arguments: list[bytes], group: str = "", processes_here: int = 1, is_restart: bool = False
) -> int: ...
