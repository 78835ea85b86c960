"""Look for modules in the file system. Nothing is imported, and no import finder is called."""

from __future__ import annotations

import importlib.machinery
import os
import re
import sys
import types
from typing import Any

from .objects import class_name, loaded_module, may_provide, module_of

_MAX_MODULE_SIZE = 500_000  # bytes
# A module whose text matches may define names that aren't in it.
_DYNAMIC = re.compile(
    r"import\s*\(?\s*\*|__getattr__|globals\(|vars\(|setattr|sys\.modules|exec\(|attach|lazy|__dict__"
)
# A package whose ``__init__.py`` matches may add submodules at runtime.
_MAKES_SUBMODULES = re.compile(
    r"sys\.modules\[[^\]]*\]\s*=|sys\.modules\.(?:setdefault|update)|__path__\s*=|__path__\.|extend_path"
)
_SUFFIXES = tuple(importlib.machinery.all_suffixes())
# Import finders without modules of their own.
_HARMLESS_FINDERS = {
    "_distutils_hack": ("DistutilsMetaFinder",),
    "_frozen_importlib": ("BuiltinImporter", "FrozenImporter"),
    "_frozen_importlib_external": ("PathFinder",),
    "six": ("_SixMetaPathImporter",),
}
# Packages with another name than the module, as ``module=package``.
_RENAMED = dict(
    pair.split("=")
    for pair in (
        "sklearn=scikit-learn cv2=opencv-python PIL=Pillow bs4=beautifulsoup4 yaml=PyYAML "
        "skimage=scikit-image dateutil=python-dateutil dotenv=python-dotenv docx=python-docx "
        "pptx=python-pptx fitz=PyMuPDF serial=pyserial Crypto=pycryptodome jwt=PyJWT "
        "MySQLdb=mysqlclient psycopg2=psycopg2-binary OpenSSL=pyOpenSSL git=GitPython attr=attrs "
        "umap=umap-learn community=python-louvain Bio=biopython mpl_toolkits=matplotlib "
        "odf=odfpy python_calamine=python-calamine zmq=pyzmq magic=python-magic "
        "snowflake=snowflake-connector-python "
        "tensorflow_hub=tensorflow-hub sentence_transformers=sentence-transformers "
        "faiss=faiss-cpu Levenshtein=python-Levenshtein talib=TA-Lib pywt=PyWavelets osgeo=GDAL "
        "rtree=Rtree ruamel=ruamel.yaml plotly_express=plotly"
    ).split()
)
# Here, the package is called like the module.
_SAME_NAME = (
    "altair bokeh boto3 catboost contextily cvxpy dash dask datasets duckdb emoji fastapi "
    "fastexcel fastparquet folium gensim geopandas geopy gradio holoviews html5lib httpx hvplot "
    "igraph imageio imblearn ipywidgets jax jieba joblib keras langchain lifelines lightgbm "
    "lightning lxml matplotlib missingno mlflow mlxtend networkx nltk numba numpy openai openpyxl "
    "optuna pandas panel patsy pingouin plotly plotnine polars prophet pyarrow pycountry pydantic "
    "pymc pymongo pypdf pypinyin pyreadstat pyxlsb rasterio requests scipy scrapy seaborn "
    "selenium shap shapely spacy sqlalchemy squarify statsmodels streamlit sympy tables tabulate "
    "tensorflow textblob tiktoken torch torchaudio torchvision tqdm transformers ultralytics "
    "wordcloud xarray xgboost xlrd xlsx2csv xlsxwriter yellowbrick yfinance"
).split()
_PACKAGES = dict({name: name for name in _SAME_NAME}, imblearn="imbalanced-learn", **_RENAMED)


def package_of(module: str) -> str:
    """Return the package of a well-known module, or "".

    No name is guessed: a model may invent one, under which somebody published a malicious package.
    """
    return _PACKAGES.get(module, "")


def absent_part(name: str) -> str | None:
    """Return a dotted name's shortest missing prefix; None if the module may exist.

    ``"numpy.nothing.x" -> "numpy.nothing"``
    """
    parts = name.split(".")
    top = parts[0]
    if top not in sys.modules and not _top_level_exists(top):
        return None if _has_unknown_finder() else top
    parent = top
    for part in parts[1:]:
        child = parent + "." + part
        if child not in sys.modules and not submodule_exists(parent, part):
            return child
        parent = child
    return None


def submodule_exists(parent: str, name: str) -> bool:
    if parent + "." + name in sys.modules:
        return True
    module = loaded_module(parent)
    if module is None and parent in sys.modules:
        return True  # an object has replaced the module, and may provide any name
    if module is not None and (may_provide(module, name) or name in module.__dict__):
        return True
    paths = _paths_of(module.__dict__.get("__path__")) if module else _static_paths(parent)
    if paths is None:
        return True
    if not paths:
        # A package with an empty ``__path__`` may register submodules.
        return module is None or "__path__" in module.__dict__
    return any(_exists(path, name) or _mentions(path, name) for path in paths)


def may_define(module: str, name: str) -> bool:
    """Return whether a module may define a name, judging by the text of its file.

    Return True if the module is loaded or has no file.
    """
    if module in sys.modules:
        return True
    folders = _search_path()
    *parents, last = module.split(".")
    for part in parents:
        folders = [os.path.join(folder, part) for folder in folders]
    for folder in folders:
        package = os.path.join(folder, last, "__init__.py")
        if os.path.isfile(package):
            return _text_may_define(package, name) or submodule_exists(module, name)
        if os.path.isfile(os.path.join(folder, last + ".py")):
            return _text_may_define(os.path.join(folder, last + ".py"), name)
    return True


def _text_may_define(path: str, name: str) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_MODULE_SIZE + 1)
    except OSError:
        return True
    text = data.decode("utf-8", "replace")
    if len(data) > _MAX_MODULE_SIZE or _DYNAMIC.search(text):
        return True
    return re.search(r"\b" + re.escape(name) + r"\b", text) is not None


def module_names() -> list[str]:
    """Return the public top-level modules.

    These are Python's, the loaded ones, those in the folders of the search path, of which only some
    3000 entries are read, and all well-known ones, even if they aren't installed.
    """
    names = set(sys.builtin_module_names) | {name for name in sys.modules if "." not in name}
    names.update(getattr(sys, "stdlib_module_names", ()))
    for path in _search_path():
        try:
            with os.scandir(path) as entries:
                for number, entry in enumerate(entries):
                    if number > 3000:
                        break
                    stem = entry.name.split(".", 1)[0]
                    is_module = entry.name.endswith(_SUFFIXES) or "." not in entry.name
                    if is_module and stem.isidentifier():
                        names.add(stem)
        except OSError:
            continue
    names.update(_PACKAGES)
    return sorted(name for name in names if not name.startswith("_"))


def _top_level_exists(name: str) -> bool:
    if name in sys.builtin_module_names or name in getattr(sys, "stdlib_module_names", ()):
        return True
    return any(_exists(path, name) for path in _search_path()) or _is_editable(name)


def _search_path() -> list[str]:
    path = sys.path
    if type(path) is not list:
        return []
    return [item or os.getcwd() for item in path if type(item) is str]


def _exists(folder: str, name: str) -> bool:
    if os.path.isfile(folder):
        return True  # an archive isn't opened
    path = os.path.join(folder, name)
    return os.path.isdir(path) or any(os.path.exists(path + suffix) for suffix in _SUFFIXES)


def _paths_of(value: Any) -> list[str] | None:
    if value is None:
        return []
    if type(value) is list and all(type(item) is str for item in value):
        return value
    return None


def _static_paths(dotted: str) -> list[str] | None:
    folders = _search_path()
    for part in dotted.split("."):
        candidates = [os.path.join(folder, part) for folder in folders]
        folders = [folder for folder in candidates if os.path.isdir(folder)]
        if not folders:
            return None
    return folders


def _mentions(folder: str, name: str) -> bool:
    path = os.path.join(folder, "__init__.py")
    try:
        with open(path, "rb") as file:
            text = file.read(400_000).decode("utf-8", "replace")
    except OSError:
        return True
    if _MAKES_SUBMODULES.search(text):
        return True
    return re.search(r"\b" + re.escape(name) + r"\b", text) is not None


def _finders() -> list[tuple[Any, str]]:
    finders = []
    candidates: list[Any] = list(sys.meta_path)
    for finder in candidates:
        kind = finder if type(finder) is type else type(finder)
        finders.append((kind, module_of(kind)))
    return finders


def _is_editable(name: str) -> bool:
    for _, module in _finders():
        loaded = loaded_module(module)
        mapping = loaded.__dict__.get("MAPPING") if loaded else None
        if module.startswith("__editable__") and type(mapping) is dict and name in mapping:
            return True
    return False


def _has_unknown_finder() -> bool:
    for kind, module in _finders():
        name = class_name(kind)
        if module.startswith("__editable__") and loaded_module(module) is not None:
            continue
        if name not in _HARMLESS_FINDERS.get(module, ()):
            return True
    return False


def exported_names(module: types.ModuleType) -> list[str] | None:
    """Return what ``from module import *`` defines; None if unknown."""
    public = module.__dict__.get("__all__")
    if public is None:
        return [name for name in list(module.__dict__) if not name.startswith("_")]
    if (type(public) is list or type(public) is tuple) and all(
        type(name) is str for name in public
    ):
        return list(public)
    return None


ALIASES = dict(
    pair.split("=")
    for pair in (
        "np=numpy pd=pandas pl=polars plt=matplotlib.pyplot mpl=matplotlib sns=seaborn "
        "px=plotly.express go=plotly.graph_objects nx=networkx tf=tensorflow F=torch.nn.functional "
        "sm=statsmodels.api smf=statsmodels.formula.api xgb=xgboost lgb=lightgbm"
    ).split()
)
# Modules that are imported by their own name.
_MODULES = set(
    "bisect calendar collections copy csv functools glob heapq io itertools json logging math "
    "matplotlib nltk numpy operator os pandas pathlib pickle polars random re requests scipy "
    "seaborn shutil sklearn sqlite3 statistics statsmodels string subprocess sys textwrap time "
    "torch warnings zipfile".split()
)
_NAMES_BY_MODULE = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "dataclasses": "dataclass",
    "datetime": "date timedelta",
    "functools": "lru_cache partial reduce",
    "io": "BytesIO StringIO",
    "itertools": "accumulate combinations groupby permutations zip_longest",
    "math": "ceil exp factorial floor isclose isnan log10 log2 pi sqrt",
    "pathlib": "Path",
    "pprint": "pprint",
    "scipy": "stats",
    "scipy.stats": (
        "anderson chi2_contingency f_oneway fisher_exact kendalltau kruskal ks_2samp kstest "
        "kurtosis levene linregress mannwhitneyu normaltest pearsonr shapiro skew spearmanr "
        "ttest_1samp ttest_ind ttest_rel wilcoxon zscore"
    ),
    "sklearn.cluster": "AgglomerativeClustering DBSCAN KMeans",
    "sklearn.compose": "ColumnTransformer",
    "sklearn.decomposition": "PCA",
    "sklearn.ensemble": (
        "GradientBoostingClassifier GradientBoostingRegressor IsolationForest "
        "RandomForestClassifier RandomForestRegressor"
    ),
    "sklearn.feature_extraction.text": "CountVectorizer TfidfVectorizer",
    "sklearn.impute": "KNNImputer SimpleImputer",
    "sklearn.linear_model": "ElasticNet Lasso LinearRegression LogisticRegression Ridge",
    "sklearn.metrics": (
        "accuracy_score classification_report confusion_matrix f1_score mean_absolute_error "
        "mean_squared_error precision_score r2_score recall_score roc_auc_score roc_curve "
        "silhouette_score"
    ),
    "sklearn.model_selection": (
        "GridSearchCV KFold RandomizedSearchCV StratifiedKFold cross_val_score train_test_split"
    ),
    "sklearn.naive_bayes": "GaussianNB MultinomialNB",
    "sklearn.neighbors": "KNeighborsClassifier KNeighborsRegressor",
    "sklearn.pipeline": "Pipeline make_pipeline",
    "sklearn.preprocessing": (
        "LabelEncoder MinMaxScaler OneHotEncoder OrdinalEncoder PolynomialFeatures RobustScaler "
        "StandardScaler"
    ),
    "sklearn.svm": "SVC SVR",
    "sklearn.tree": "DecisionTreeClassifier DecisionTreeRegressor",
    "statsmodels.formula.api": "ols",
    "torch": "nn",
    "tqdm": "tqdm",
    "typing": "Any Optional",
    "urllib.request": "urlopen urlretrieve",
}
_MODULE_OF_NAME = {
    name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()
}
_USED_AS_MODULE = re.compile(r"\s*\.\s*(date|datetime|time|timedelta|timezone)\b")


def import_of(name: str, following: str = "") -> str:
    """Return a statement such as ``import numpy as np``; "" without an installed, well-known
    module.

    ``following``, the rest of the line, shows whether ``datetime`` is the module or the class.
    """
    if name == "datetime" and not _USED_AS_MODULE.match(following):
        module, statement = name, "from datetime import datetime"
    elif name in ALIASES:
        module = ALIASES[name]
        statement = f"import {module} as {name}"
    elif name in _MODULE_OF_NAME:
        module = _MODULE_OF_NAME[name]
        statement = f"from {module} import {name}"
    elif name in _MODULES or name == "datetime":
        module, statement = name, f"import {name}"
    else:
        return ""
    return statement if absent_part(module) is None else ""
