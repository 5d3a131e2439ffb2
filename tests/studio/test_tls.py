"""Files that cannot be served are refused by the name of their option."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.studio.tls import require_tls

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate with its key, the key of another one, a locked key, and files that are neither."""
    folder = tmp_path_factory.mktemp("tls")
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-out", "cert", "-keyout")
    lock = ("openssl", "pkey", "-in", "key", "-aes256", "-passout", "pass:secret", "-out", "locked")
    for command in ((*made, "other"), (*made, "key"), lock):  # the certificate is that of the last one
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
    (folder / "text").write_text("nonsense", encoding="utf-8")
    (folder / "broken").write_text("-----BEGIN CERTIFICATE-----\nPRIVATE KEY\n", encoding="utf-8")
    return folder


def test_a_certificate_and_its_key_are_served(folder: Path) -> None:
    require_tls(folder / "cert", folder / "key")


@pytest.mark.parametrize(
    ("cert", "key", "words"),
    [
        ("text", "key", "--tls-cert names"),
        ("broken", "key", "--tls-cert names"),
        ("none", "key", "--tls-cert names .* cannot be read"),
        ("cert", "text", "--tls-key names"),
        ("cert", "broken", "--tls-key names"),
        ("cert", "cert", "--tls-key names"),
        ("cert", "other", "is not the key of the certificate"),
        ("cert", "locked", "protected by a password"),
    ],
)
def test_other_files_are_refused_by_the_name_of_their_option(folder: Path, cert: str, key: str, words: str) -> None:
    with pytest.raises(ShoalError, match=words):
        require_tls(folder / cert, folder / key)
