"""wheel.py VERSION FOLDER OUTDIR: writes a wheel of FOLDER/lfbloom, and prints its path.

The compiled part is FOLDER/alone's, which needs the C library only.

The same files give the same bytes.  Source: the binary distribution format of the Python Packaging
Authority (PEP 427), and Python's stable ABI in its name (PEP 425).
"""

import base64
import hashlib
import os
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

TAG = "cp38-abi3-" + re.sub("[-.]", "_", sysconfig.get_platform())


def contents(version, folder):
    """The wheel's files: name -> bytes, without RECORD."""
    files = {
        "lfbloom/" + path.name: path.read_bytes()
        for path in sorted([*(folder / "lfbloom").iterdir(), *(folder / "alone").iterdir()])
        if path.suffix in (".py", ".pyi", ".typed") or path.match("alone/*.so")
    }
    summary = re.search('^description = "(.*)"', (folder / "pyproject.toml").read_text(), re.M).group(1)
    info = "lfbloom-%s.dist-info/" % version
    files[info + "METADATA"] = (
        "Metadata-Version: 2.1\nName: lfbloom\nVersion: %s\nSummary: %s\n"
        "License: Apache-2.0\nRequires-Python: >=3.8\n" % (version, summary)
    ).encode()
    files[info + "WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: lfbloom\nRoot-Is-Purelib: false\nTag: %s\n" % TAG
    ).encode()
    return files, info + "RECORD"


def record(files, name):
    """The RECORD: each file's name, hash and size."""
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append("%s,sha256=%s,%d" % (path, digest, len(data)))
    return ("\n".join(rows) + "\n%s,,\n" % name).encode()


def write(path, files):
    """Writes the archive under a temporary name, so that PATH is never half a file."""
    temporary = "%s.%d" % (path, os.getpid())
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    os.replace(temporary, path)


def main(version, folder, out):
    files, name = contents(version, Path(folder))
    if not any(path.endswith(".so") for path in files):
        sys.exit("wheel: %s/alone has no compiled module" % folder)
    files[name] = record(files, name)
    path = Path(out) / ("lfbloom-%s-%s.whl" % (version, TAG))
    write(path, files)
    print(path)


main(*sys.argv[1:])
