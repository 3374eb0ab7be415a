"""Holds bills of materials, and those inside of wheels, against the schema of CycloneDX: ``bill.py FILE...``."""

import json
import sys
import zipfile

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def bills(path):
    """The bills of materials that a file is or has inside."""
    if not path.endswith(".whl"):
        with open(path, encoding="utf-8") as file:
            return [file.read()]
    with zipfile.ZipFile(path) as wheel:
        return [wheel.read(name).decode() for name in wheel.namelist() if "/sboms/" in name]


def main():
    validator = JsonStrictValidator(SchemaVersion.V1_5)
    for path in sys.argv[1:]:
        found = bills(path)
        assert found, f"{path} has no bill of materials"
        for text in found:
            # It gives what is wrong, or nothing.
            wrong = validator.validate_str(text)
            assert wrong is None, f"{path}: {wrong}"
            print(f"{path}: {len(json.loads(text)['components'])} components")
    # What cannot fail says nothing.
    assert validator.validate_str('{"bomFormat": "CycloneDX", "specVersion": "1.5", "components": 1}') is not None


if __name__ == "__main__":
    main()
