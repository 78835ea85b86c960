"""Measure whether a model's answers keep a change that a request asks for.

    python -m benchmarks.changes [local:qwen2.5-coder-0.5b] [--show]

The model must be installed. A changed copy that is only printed counts as right in the suite. Here,
an answer to a request for a change is also kept only if the variable that the solution changes has
the right value afterwards. First answers are judged, after corrections without a model.

**The answers run on your machine as you, without a sandbox.**
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .notebook_kernel import EXAMPLES, Kernel
from .suite import page_rules
from .suite.flow import Course
from .suite.items import Item
from .suite.judges import Judges
from .suite.notebook import Notebook
from .suite.same_values import is_same
from .suite.server import Server

ORDERS = """\
import pandas as pd

orders = pd.DataFrame({
    'id': [3, 1, 2, 5, 4, 4],
    'city': ['Oslo', 'bergen', 'Olso', 'Oslo', 'Bergen', 'Bergen'],
    'name': [' Ann', 'Bob ', 'Cid', ' Dan ', 'Eve', 'Eve'],
    'price': ['12.5', '7.25', '30', '8', '19.99', '19.99'],
    'qty': [1, 2, None, 4, 5, 5],
    'date': ['2024-01-03', '2024-02-05', '2024-02-07', '2024-03-01', '2024-03-09', '2024-03-09'],
    'note': ['', 'x', '', '', 'y', 'y'],
})"""
STAFF = """\
import pandas as pd

员工 = pd.DataFrame({
    '工号': [101, 102, 103, 104, 105],
    '姓名': ['张三', ' 李四', '王五 ', '赵六', '钱七'],
    '部门': ['销售', '研发', '销售', '研发', None],
    '工资': [8000.4, 12500.6, 9000.2, 15000.8, 7000.0],
    '入职': ['2020-01-03', '2019-05-06', '2021-07-08', '2018-03-02', '2022-11-11'],
})"""
PLAIN = """\
prices = [12.5, 7.25, 30.0, 8.0, 19.99]
stock = {'apple': 3, 'pear': 0, 'fig': 12}
limit = 10"""
_NAMES = ("orders", "员工", "prices", "stock", "limit")


@dataclass(frozen=True)
class Case:
    """A request below a cell with data, and the right code."""

    cell: str
    request: str
    solution: str


CASES = (
    Case(ORDERS, "convert price to float", "orders['price'] = orders['price'].astype(float)"),
    Case(ORDERS, "rename qty to quantity", "orders = orders.rename(columns={'qty': 'quantity'})"),
    Case(ORDERS, "drop the note column", "orders = orders.drop(columns='note')"),
    Case(ORDERS, "fill missing qty with 0", "orders['qty'] = orders['qty'].fillna(0)"),
    Case(ORDERS, "make city title case", "orders['city'] = orders['city'].str.title()"),
    Case(ORDERS, "turn date into real dates", "orders['date'] = pd.to_datetime(orders['date'])"),
    Case(
        ORDERS, "add a column double that is two times qty", "orders['double'] = orders['qty'] * 2"
    ),
    Case(ORDERS, "remove duplicate rows", "orders = orders.drop_duplicates()"),
    Case(
        ORDERS,
        "replace Olso with Oslo in city",
        "orders['city'] = orders['city'].replace('Olso', 'Oslo')",
    ),
    Case(ORDERS, "strip the spaces of name", "orders['name'] = orders['name'].str.strip()"),
    Case(ORDERS, "set id as the index", "orders = orders.set_index('id')"),
    Case(ORDERS, "drop rows without qty", "orders = orders.dropna(subset=['qty'])"),
    Case(ORDERS, "keep only the orders from Oslo", "orders = orders[orders['city'] == 'Oslo']"),
    Case(ORDERS, "删除 note 和 id 两列", "orders = orders.drop(columns=['note', 'id'])"),
    Case(ORDERS, "把 city 改名为 城市", "orders = orders.rename(columns={'city': '城市'})"),
    Case(ORDERS, "把 date 转换成日期", "orders['date'] = pd.to_datetime(orders['date'])"),
    Case(STAFF, "去掉姓名两边的空格", "员工['姓名'] = 员工['姓名'].str.strip()"),
    Case(STAFF, "工资四舍五入到整数", "员工['工资'] = 员工['工资'].round()"),
    Case(STAFF, "新增一列年薪,等于工资乘以12", "员工['年薪'] = 员工['工资'] * 12"),
    Case(STAFF, "部门缺失的填成 未知", "员工['部门'] = 员工['部门'].fillna('未知')"),
    Case(STAFF, "把入职转成日期类型", "员工['入职'] = pd.to_datetime(员工['入职'])"),
    Case(STAFF, "把工号设为索引", "员工 = 员工.set_index('工号')"),
    Case(ORDERS, "how many orders per city", "orders['city'].value_counts()"),
    Case(ORDERS, "the 2 orders with the largest qty", "orders.nlargest(2, 'qty')"),
    Case(ORDERS, "average qty", "orders['qty'].mean()"),
    Case(ORDERS, "show the last two rows", "orders.tail(2)"),
    Case(STAFF, "各部门的平均工资", "员工.groupby('部门')['工资'].mean()"),
    Case(STAFF, "工资最高的是谁", "员工.loc[员工['工资'].idxmax(), '姓名']"),
    Case(STAFF, "工资大于 8500 的有几个人", "int((员工['工资'] > 8500).sum())"),
    Case(STAFF, "最大和最小的工资", "(员工['工资'].max(), 员工['工资'].min())"),
    Case(PLAIN, "the average of prices", "sum(prices) / len(prices)"),
    Case(PLAIN, "how many prices are above limit", "sum(p > limit for p in prices)"),
    Case(PLAIN, "the names in stock that are sold out", "[k for k, v in stock.items() if v == 0]"),
    Case(PLAIN, "prices 从大到小排序", "prices = sorted(prices, reverse=True)"),
    Case(PLAIN, "stock 里的总数", "sum(stock.values())"),
    Case(PLAIN, "add 10 percent to all prices", "prices = [p * 1.1 for p in prices]"),
)


def changed_by(notebook: Notebook, item: Item, code: str) -> dict[str, Any]:
    """Return the values of the data's variables that code changes."""
    notebook.restore(item)
    _, record = notebook.run(code)
    return {name: value for name, value in record.variables if name in _NAMES}


def corrected(kernel: Kernel, code: str) -> str:
    """Return the code with the obvious corrections, unless as many problems would remain."""
    problems = kernel.check(code)
    better = page_rules.correct_obvious(code, problems)
    return better if better != code and len(kernel.check(better)) < len(problems) else code


def main() -> None:
    """Ask each request once, and print how many answers are right, and how many are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?", default="local:qwen2.5-coder-0.5b")
    parser.add_argument("--show", action="store_true", help="print the answers")
    parser.add_argument("--limit", type=int, help="ask only this many requests")
    options = parser.parse_args()
    judges, right_count, persists, ran = Judges(), 0, [], 0
    cases = CASES[: options.limit]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Server(folder, 1, options.model) as server, Kernel(folder) as kernel:
            notebook = Notebook(kernel, folder)
            for number, case in enumerate(cases):
                item = Item(
                    id=f"changes/{number}",
                    request=case.request,
                    cells=(case.cell,),
                    solution=case.solution,
                )
                judges.prepare(item, notebook)
                wanted = changed_by(notebook, item, case.solution)
                notebook.restore(item)
                answer = Course(server, item, notebook, EXAMPLES).first(with_context=True)
                code = corrected(kernel, answer.code)
                output, right = judges.judge(item, notebook, code)
                right_count += right
                ran += bool(code.strip()) and output.error is None
                if wanted:
                    changed = changed_by(notebook, item, code)
                    same = (is_same(v, changed.get(n), True) for n, v in wanted.items())
                    persists.append(all(same))
                if options.show:
                    print(f"{case.request}\n{code}\n{right=}", flush=True)
    print(
        f"{right_count} of {len(cases)} right, {ran} ran, {sum(persists)} of {len(persists)} kept"
    )


if __name__ == "__main__":
    main()
