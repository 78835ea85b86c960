"""Requests whose right answer depends on an entry of a memory, and the data that they are about.

All entries are in one memory, as they are for a person who works on one project. A small model gets
only those that fit into its budget, so the right ones have to be chosen for each request.
"""

from __future__ import annotations

from dataclasses import dataclass

FILES = {
    "orders.csv": """\
order_id,cust,amt,dt,st
1,7,1050,2024-01-03,1
2,7,860,2024-02-14,3
3,9,12400,2024-03-31,1
4,8,930,2024-04-01,2
5,7,780,2024-05-20,1
6,9,199000,2024-05-26,1
7,7,1120,2024-06-02,3
8,8,640,2024-06-09,1
9,7,975,2024-06-16,2
10,7,2210,2024-07-01,1
""",
    "customers.csv": """\
id,seg,ctry
7,A,DE
8,B,AT
9,C,FR
10,A,CH
""",
    "sensors.csv": """\
ts,t1,t2,flag
2024-01-01,68.0,21.5,0
2024-01-02,70.2,-999,0
2024-01-03,250.0,22.1,1
2024-01-04,71.6,23.0,0
2024-01-05,69.8,-999,0
2024-01-06,300.1,20.7,1
2024-01-07,68.9,21.9,0
""",
}
ORDERS = "import pandas as pd\n\norders = pd.read_csv('orders.csv', parse_dates=['dt'])"
BOTH = f"{ORDERS}\ncustomers = pd.read_csv('customers.csv')"
SENSORS = "import pandas as pd\n\nsensors = pd.read_csv('sensors.csv', parse_dates=['ts'])"
CJK = r"[^)\n]*[\u4e00-\u9fff]"


@dataclass(frozen=True)
class Case:
    """An answer to ``request``, below ``cell``, follows ``entry`` if its code matches ``pattern``.

    The pattern doesn't match the code of a right answer without the entry.
    """

    entry: str
    request: str
    pattern: str
    cell: str = ORDERS


_CENTS = "The column amt of orders is in cents; show amounts in euros."
_KEYS = "Orders and customers are joined by orders.cust = customers.id."
_CANCELLED = "st = 3 means that an order is cancelled; cancelled orders are no revenue."
_FAHRENHEIT = "t1 of sensors is in Fahrenheit; report degrees Celsius."
_MISSING = "In t2 of sensors, -999 means a missing reading."
_FLAG = "Rows of sensors with flag = 1 are broken; leave them out of statistics."
_DESCENDING = "Sort tables of results in descending order."
_ROUND = "Round numbers in results to two decimals."
_SEED = "The random seed is always 2024."
_SIZE = "Plots are 10 by 4 inches."
_SEABORN = "Plots are drawn with seaborn."
_TITLES = "图的标题用中文。"
_HINTS = "Functions have type hints."
_DATES = "Show dates as DD.MM.YYYY."
_SEGMENTS = "Segments A and B are retail, segment C is wholesale."
_MEDIAN = "For a typical amount, use the median, not the mean."
_VIP = "A VIP is a customer with more than 4 orders."
_SEMICOLON = "CSV files that we export have semicolons as separators."
_DPI = "Save figures with dpi=200."
_DACH = "DACH stands for the countries DE, AT and CH."
_OUTLIER = "An outlier is more than 3 standard deviations away from the mean."
_SPLIT = "划分训练集和测试集时，测试集占 30%，random_state 用 7。"
_LARGE = "金额 amt 超过 5000 的订单算大单。"
_WEEK = "一周从星期日开始，按周汇总用 W-SAT。"

CASES = (
    Case(_CENTS, "the mean of amt", r"/ ?100\b|0\.01"),
    Case(_CENTS, "每个 cust 的 amt 总和", r"/ ?100\b|0\.01"),
    Case(_KEYS, "join orders and customers", r"(?s)left_on=.cust.*right_on=.id", BOTH),
    Case(_KEYS, "把 customers 的 ctry 合并到 orders", r"(?s)cust.*\bid\b|set_index\(.id", BOTH),
    Case(_KEYS, "number of orders per country", r"(?s)left_on=.cust.*right_on=.id", BOTH),
    Case(_CANCELLED, "total revenue of orders", r"st.\] ?!= ?3|st ?!= ?3|~.*st.*3"),
    Case(_CANCELLED, "orders 每月的收入 revenue", r"st.\] ?!= ?3|st ?!= ?3|~.*st.*3"),
    Case(_FAHRENHEIT, "the mean of t1", r"32", SENSORS),
    Case(_FAHRENHEIT, "sensors 的 t1 最大值", r"32", SENSORS),
    Case(_MISSING, "the mean of t2", r"-999", SENSORS),
    Case(_MISSING, "sensors 的 t2 有多少缺失值", r"-999", SENSORS),
    Case(_FLAG, "describe the t1 readings of sensors", r"flag", SENSORS),
    Case(_FLAG, "statistics of sensors", r"flag", SENSORS),
    Case(_DESCENDING, "a table with the sum of amt per cust", r"ascending=False|largest"),
    Case(_DESCENDING, "每个 cust 的 amt 平均值的表", r"ascending=False|largest"),
    Case(_ROUND, "the mean amt per cust as numbers", r"round\(.*2\)|\.2f"),
    Case(_ROUND, "amt 的标准差，结果是数字", r"round\(.*2\)|\.2f"),
    Case(_SEED, "a random sample of 3 orders", r"2024"),
    Case(_SEED, "随机抽取 4 行 orders", r"2024"),
    Case(_SIZE, "bar plot of amt by cust", r"10, ?4"),
    Case(_SIZE, "画 amt 的直方图 plot", r"10, ?4"),
    Case(_SEABORN, "histogram plot of amt", r"sns\.|seaborn"),
    Case(_SEABORN, "plot t1 over ts", r"sns\.|seaborn", SENSORS),
    Case(_TITLES, "bar plot of amt by cust, with a title", f"title{CJK}"),
    Case(_TITLES, "line plot of t1 over ts, with a title", f"title{CJK}", SENSORS),
    Case(_HINTS, "a function that returns the orders of a customer", r"->"),
    Case(_HINTS, "写一个函数，计算两个日期之间的天数", r"->"),
    Case(_DATES, "show the dates dt of the orders as text", r"%d\.%m\.%Y"),
    Case(_DATES, "把 orders 的日期 dt 显示为文本", r"%d\.%m\.%Y"),
    Case(
        _SEGMENTS,
        "add a column retail or wholesale to customers",
        r"(?s)\bA\b.*\bB\b|== ?.C\b",
        BOTH,
    ),
    Case(_SEGMENTS, "how many retail customers are there", r"(?s)\bA\b.*\bB\b|!= ?.C\b", BOTH),
    Case(_MEDIAN, "a typical amount of an order", r"median"),
    Case(_MEDIAN, "the typical amount per customer", r"median"),
    Case(_VIP, "the VIP customers of orders", r"> ?4|>= ?5"),
    Case(_VIP, "有多少 VIP 客户", r"> ?4|>= ?5"),
    Case(_SEMICOLON, "export orders to out.csv", r"sep ?= ?.;"),
    Case(_SEMICOLON, "把 orders 导出为 CSV 文件 out.csv", r"sep ?= ?.;"),
    Case(_DPI, "plot amt and save the figure as amt.png", r"dpi ?= ?200"),
    Case(_DACH, "customers in DACH", r"(?s)DE.*AT.*CH", BOTH),
    Case(_DACH, "统计 DACH 地区的客户数", r"(?s)DE.*AT.*CH", BOTH),
    Case(_OUTLIER, "outliers of amt", r"\b3 ?\*|\* ?3\b|[<>]=? ?3\b"),
    Case(_SPLIT, "split orders into training and test set", r"0\.3\b"),
    Case(_SPLIT, "把 orders 划分为训练集和测试集", r"0\.3\b"),
    Case(_LARGE, "大单有多少个", r"5000"),
    Case(_LARGE, "mark the large orders (大单)", r"5000"),
    Case(_WEEK, "按周汇总 amt", r"W-SAT"),
)

# Entries that no request needs, as in a real memory.
OTHERS = (
    "Notebooks are named after the ticket, such as DATA-12.",
    "The warehouse is read-only on Mondays.",
    "Ask finance before numbers leave the team.",
    "报告每周五提交。",
    "Column names stay in lower case.",
    "The old table kunden is no longer maintained.",
    "Model cards are in the folder cards.",
    "数据每天凌晨三点更新。",
    "Charts for the board have no gridlines.",
    "Latitude comes before longitude.",
)


def entries() -> list[str]:
    """Return all entries of the memory, each once, in an order that doesn't depend on the cases."""
    return sorted({*(case.entry for case in CASES), *OTHERS})
