"""Names that once ran code, broke files or steered terminals (reliability X1, X2)."""

HOSTILE = [
    "</script><script>window.PWN=1</script>",
    "<img src=x onerror=window.PWN=1>",
    '"><svg onload=window.PWN=1>',
    "';window.PWN=1//",
    "]]>",
    "<!--<script>",
    "javascript:window.PWN=1",
    "a\u2028b",
    "{{7*7}}",
    "\\u003c",
    "\u202egnp.exe",
    "n" * 10_000,
    "$x^2$",
    "$\\frac{",
    "a\nb",
    "\x1b]0;owned\x07",
    "[red]x[/red]",
    "&amp;&#60;",
    "\x00",
    "x\ufffey",
]
