"""Find the import statement that defines a well-known name, such as ``np``."""

from __future__ import annotations

import re

from .modules import absent_part

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
    """Return the import statement that defines a well-known name: ``import numpy as np``.

    Returns "" if the name isn't well known or its module isn't installed. ``following`` is the rest
    of the line after the name. It shows whether ``datetime`` is the module or the class.
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
