"""Tables in files: export and import in the service's own layout, with local folders in the place of S3's buckets."""

from tablewright.engine.transfer.exporting import Exported
from tablewright.engine.transfer.importing import Imported, LeftOut

__all__ = ["Exported", "Imported", "LeftOut"]
