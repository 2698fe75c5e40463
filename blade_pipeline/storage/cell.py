"""Where in the grid of benchmarks and runs an artifact belongs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One benchmark, or one run of a benchmark."""

    benchmark: str
    run: str | None = None

    @property
    def order(self) -> tuple[str, str]:
        """Sorts by benchmark, then run; a benchmark's own cell comes before its runs."""
        return self.benchmark, self.run or ""

    @property
    def of_benchmark(self) -> "Cell":
        """The cell of the benchmark itself."""
        return Cell(self.benchmark)

    def __str__(self) -> str:
        return self.benchmark if self.run is None else f"{self.benchmark}/{self.run}"
