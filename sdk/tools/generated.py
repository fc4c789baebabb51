"""The generated files, and whether those in the repository are the same."""

from . import programs, python, typescript
from .document import Document

SNAPSHOT = programs.ROOT / "api" / "src" / "openapi" / "document" / "openapi.snap"


def differing():
    """Path and text of each file that is not up to date with the document."""
    document = Document.read(SNAPSHOT)
    for name, text in {**typescript.files(document), **python.files(document)}.items():
        path = programs.ROOT / "sdk" / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def stale():
    """What to do, if a file is not up to date; None: nothing."""
    names = [str(path.relative_to(programs.ROOT)) for path, _ in differing()]
    return f"not up to date with the document: {', '.join(names)}. Run sdk/generate" if names else None
