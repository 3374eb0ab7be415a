"""LibreOffice Calc computes a sheet of formulas with OpenCL and without, which have to agree."""

import csv
import math
import os
import pathlib
import random
import xml.sax.saxutils

from lines import check, last, run

ROWS = 4000
# By column; A and B are numbers, C is a sorted list of keys. One formula a row.
FORMULAS = {
    "sum of products": "[.A{r}]*[.B{r}]+[.A{r}]-[.B{r}]/([.B{r}]+1)",
    "power": "([.A{r}]/100)^2.5",
    "POWER": "POWER([.B{r}];1.25)",
    "SQRT": "SQRT([.A{r}])",
    "EXP": "EXP([.B{r}]/10)",
    "LN": "LN([.A{r}]+1)",
    "SIN": "SIN([.A{r}])",
    "COS": "COS([.A{r}])",
    "TAN": "TAN([.B{r}]/7)",
    "ATAN": "ATAN([.A{r}]-[.B{r}])",
    "ROUND": "ROUND([.A{r}]*1.37;2)",
    "NORMSDIST": "LEGACY.NORMSDIST([.B{r}]/10-0.5)",
    "NORMSINV": "LEGACY.NORMSINV(([.B{r}]+1)/13)",
    "NORMDIST": "NORMDIST([.A{r}];50;12;1)",
    "SUM": "SUM([.A{r}:.B{s}])",
    "PRODUCT": "PRODUCT([.B{r}:.B{t}])",
    "AVERAGE": "AVERAGE([.A{r}:.A{s}])",
    "MIN": "MIN([.A{r}:.B{s}])",
    "MAX": "MAX([.A{r}:.B{s}])",
    "COUNT": "COUNT([.A{r}:.B{s}])",
    "VAR": "VAR([.A{r}:.A{s}])",
    "SUMPRODUCT": "SUMPRODUCT([.A{r}:.A{s}];[.B{r}:.B{s}])",
    "CORREL": "CORREL([.A{r}:.A{s}];[.B{r}:.B{s}])",
    "COVAR": "COVAR([.A{r}:.A{s}];[.B{r}:.B{s}])",
    "PEARSON": "PEARSON([.A{r}:.A{s}];[.B{r}:.B{s}])",
    "SLOPE": "SLOPE([.A{r}:.A{s}];[.B{r}:.B{s}])",
    "SUMIFS": "SUMIFS([.$A$1:.$A$200];[.$B$1:.$B$200];[.B{r}])",
    "VLOOKUP": "VLOOKUP([.B{r}];[.$C$1:.$D$12];2;0)",
}
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="UseOpenCL"><value>{use}</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="OpenCLAllowList"><value><it>////</it></value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="ODFRecalcMode"><value>0</value></prop></item>
</oor:items>
"""


def sheet(names):
    """A flat OpenDocument sheet with a column for each of some formulas."""
    numbers = random.Random(7)
    keys = [n * 1.0 for n in range(12)]
    rows = []
    for row in range(1, ROWS + 1):
        values = [numbers.uniform(1, 100), float(numbers.randrange(12)), keys[(row - 1) % 12], keys[(row - 1) % 12] * 10 + 1]
        cells = [f'<table:table-cell office:value-type="float" office:value="{value!r}"/>' for value in values]
        for name in names:
            formula = xml.sax.saxutils.quoteattr("of:=" + FORMULAS[name].format(r=row, s=row + 60, t=row + 8))
            cells.append(f'<table:table-cell table:formula={formula} office:value-type="float" office:value="0"/>')
        rows.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    return (f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces}'
            ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.2"'
            ' office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
            f'<table:table table:name="S">{"".join(rows)}</table:table>'
            '</office:spreadsheet></office:body></office:document>')


def computed(document, how):
    """The sheet's values as text that keeps all digits, by LibreOffice with its own calculation or with OpenCL."""
    home = pathlib.Path(how).absolute()
    (home / "user").mkdir(parents=True, exist_ok=True)
    (home / "user/registrymodifications.xcu").write_text(SETTINGS.format(use="true" if how == "opencl" else "false"))
    environment = dict(os.environ, SC_FORCE_CALCULATION=how, SAL_LOG="")
    if how == "opencl":
        environment["SC_OPENCL_DEVICE_OVERRIDE"] = "0"
    # The separator, the quotes, the encoding, the first line, no formats, all columns as shown: no.
    status, output = run("soffice", "--headless", f"-env:UserInstallation=file://{home}", "--convert-to",
                         "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false", "--outdir", home, document,
                         limit=200, env=environment)
    table = home / pathlib.Path(document).with_suffix(".csv").name
    if status != 0 or not table.exists():
        raise ValueError(last(output))
    return list(csv.reader(table.open())), home


def same(a, b):
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-9)
    except ValueError:
        return a == b


names = list(FORMULAS)
pathlib.Path("sheet.fods").write_text(sheet(names))
own, _ = computed("sheet.fods", "core")
found, home = computed("sheet.fods", "opencl")
check("the sheet has all rows", len(own) == len(found) == ROWS, f"{len(own)} and {len(found)}")
for column, name in enumerate(names, 4):
    wrong = [(row, a[column], b[column]) for row, (a, b) in enumerate(zip(own, found), 1) if not same(a[column], b[column])]
    check(name, not wrong and len({row[column] for row in own}) > 1, f"{len(wrong)} rows differ: {wrong[:3]}")
# It keeps each program that it has built.
programs = len(list(home.rglob("cache/*.bin")))
check("OpenCL computes", programs >= len(names), f"{programs} programs for {len(names)} functions")
