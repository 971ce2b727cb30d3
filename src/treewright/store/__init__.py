"""Models as files and as bytes: one columnar document for every kind, validated before use."""
