"""Formats: bytes become cells, arrays or named columns, whatever they mean."""
