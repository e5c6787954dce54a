"""The HTTPS edge, the only place that knows aiohttp: bytes in, engine asked, bytes out."""
