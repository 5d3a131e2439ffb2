"""Whether a certificate and its key can be served; asked before anything is made, so that the option can be named."""

from __future__ import annotations

import ssl
from pathlib import Path

from shoal.errors import ShoalError


def require_tls(certificate: Path, key: Path) -> None:
    """Raises unless the files are a certificate and its key, in PEM format and without a password."""
    _require_pem("--tls-cert", certificate, b"CERTIFICATE", "a certificate")
    _require_pem("--tls-key", key, b"PRIVATE KEY", "a private key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_verify_locations(certificate)
    except ssl.SSLError:
        raise _unusable("--tls-cert", certificate, "a certificate") from None
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ShoalError(
                f"'{key}' is not the key of the certificate '{certificate}'.",
                hint="give --tls-cert and --tls-key files that were made together.",
            ) from None
        raise _unusable("--tls-key", key, "a private key") from None


def _require_pem(option: str, path: Path, kind: bytes, words: str) -> None:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ShoalError(f"{option} names '{path}', which cannot be read: {error.strerror}.") from None
    if b"-----BEGIN " not in content or kind not in content:
        raise _unusable(option, path, words)


def _unusable(option: str, path: Path, words: str) -> ShoalError:
    return ShoalError(
        f"{option} names '{path}', which is not {words} that can be used.",
        allowed="It is a text file in PEM format, which begins with -----BEGIN.",
        hint="openssl x509 or openssl pkey converts other formats to it.",
    )


def _no_password() -> str:
    """Instead of the question of OpenSSL, which would wait for an answer at every start."""
    raise ShoalError(
        "The key of --tls-key is protected by a password.",
        allowed="The studio needs a key without one, in a file that only you can read.",
        hint="openssl pkey -in KEY -out NEW removes it.",
    )
