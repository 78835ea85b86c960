"""The libraries, functions and keyword arguments whose names may be in proposals.

A module or method of the person can have a name that nobody else should read. From a cell alone,
such a name can't be distinguished from that of a library. So these lists are closed. Of the
libraries, any function counts that the cell imports or calls through an imported module.
"""

from __future__ import annotations

from .functions import CHARTS, QUESTIONS


def _split(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# Top-level modules of the standard library and of packages.
LIBRARIES = _split(
    "IPython PIL altair arviz asyncio base64 bisect bokeh bs4 calendar cartopy catboost",
    "collections contextlib copy csv cv2 dask datashader datetime decimal duckdb fastparquet",
    "folium fractions functools gensim geopandas geopy glob great_tables gzip hashlib heapq",
    "holoviews httpx hvplot imblearn io ipywidgets itables itertools jax joblib json keras",
    "lifelines lightgbm logging lxml math matplotlib missingno mlflow netCDF4 networkx nltk",
    "numba numexpr numpy openpyxl operator optuna os pandas pathlib patsy pickle pingouin plotly",
    "plotnine polars pprint psycopg psycopg2 pyarrow pymc pyproj pyreadstat pyspark random",
    "rasterio re requests scanpy scipy seaborn shapely shutil skimage sklearn spacy sqlalchemy",
    "sqlite3 statistics statsmodels string subprocess sympy tabulate tempfile tensorflow",
    "textwrap time torch torchvision tqdm transformers urllib uuid warnings wordcloud xarray",
    "xgboost xlsxwriter yaml zipfile zoneinfo",
)

# Methods; and functions of modules such as ``sns``, if the cell itself doesn't import them.
FUNCTIONS = _split(
    # pandas and numpy
    "add add_prefix add_suffix agg aggregate align append apply applymap arange array asarray",
    "asfreq asof assign astype at_time between between_time cat clip combine combine_first",
    "compare concat concatenate contains convert_dtypes copy crosstab cummax cummin cut",
    "date_range day_name decode div divide dot drop drop_duplicates droplevel duplicated encode",
    "endswith eq equals eval ewm expanding explode extract extractall factorize filter findall",
    "floordiv from_dict from_records full fullmatch ge get get_dummies get_group groupby gt",
    "hexbin hsplit hstack idxmax infer_objects insert interpolate interval_range isin items",
    "iterrows itertuples join json_normalize keys kurt kurtosis le linspace logspace lstrip lt",
    "map mask match melt memory_usage merge merge_asof merge_ordered meshgrid mod month_name mul",
    "multiply nan_to_num ne normalize ones outer pad period_range pipe pivot pivot_table pop pow",
    "qcut query radd ravel read_clipboard read_csv read_excel read_feather read_fwf read_hdf",
    "read_html read_json read_orc read_parquet read_pickle read_sas read_spss read_sql",
    "read_sql_query read_sql_table read_stata read_table read_xml reindex rename rename_axis",
    "reorder_levels repeat replace resample reset_index reshape rolling rstrip searchsorted",
    "select select_dtypes set_axis set_index shift slice sort sort_index sort_values split",
    "squeeze stack startswith strftime sub subtract swapaxes swaplevel take tile to_clipboard",
    "to_csv to_datetime to_dict to_excel to_feather to_frame to_hdf to_html to_json to_latex",
    "to_list to_markdown to_numeric to_numpy to_orc to_parquet to_period to_pickle to_records",
    "to_sql to_stata to_string to_timedelta to_timestamp to_xarray to_xml tolist total_seconds",
    "transform transpose truediv truncate tz_convert tz_localize unstack update vsplit vstack",
    "where wide_to_long xs zeros zfill",
    # polars, Arrow and DuckDB
    "alias approx_n_unique cast coalesce col collect concat_list concat_str drop_nulls execute",
    "fetch_df fetchall fetchdf fetchone fill_nan fill_null from_arrow from_numpy from_pandas",
    "gather glimpse group_by group_by_dynamic is_between is_duplicated is_in is_nan is_not_null",
    "is_null is_unique join_asof lazy lit map_batches map_elements n_unique null_count over",
    "scan_csv scan_ipc scan_ndjson scan_parquet sink_csv sink_parquet sql to_arrow to_dicts",
    "to_dummies to_pandas to_series top_k unnest unpivot upsample when with_columns",
    "with_row_index write_csv write_excel write_json write_parquet",
    # plots
    "add_axes add_patch add_subplot annotate arrow autoscale axhline axhspan axline axvline",
    "axvspan bar_label boxenplot catplot clf close clustermap colorbar contour contourf despine",
    "displot distplot ecdf errorbar figure fill_between figtext gca gcf grid hist2d histogram",
    "hlines imread imsave imshow invert_xaxis invert_yaxis jointplot legend lmplot load_dataset",
    "loglog margins matshow pairplot pcolormesh relplot residplot rugplot savefig scatter_matrix",
    "semilogx semilogy set set_context set_palette set_style set_theme set_title set_xlabel",
    "set_xlim set_xscale set_xticklabels set_xticks set_ylabel set_ylim set_yscale",
    "set_yticklabels set_yticks show spy stackplot stem step subplot subplot_mosaic subplots",
    "subplots_adjust suptitle swarmplot text tick_params ticklabel_format tight_layout twinx",
    "twiny update_layout update_traces update_xaxes update_yaxes vlines write_html write_image",
    "xlabel xlim xscale xticks ylabel ylim yscale yticks",
    # models
    "cross_val_predict cross_val_score cross_validate decision_function fit fit_predict",
    "fit_transform inverse_transform partial_fit predict predict_log_proba predict_proba score",
    "set_params train_test_split",
    # files and texts
    "exists glob is_dir is_file iterdir joinpath mkdir open read read_bytes read_text readlines",
    "resolve rglob unlink write write_bytes write_text",
) | (QUESTIONS | CHARTS)

KEYWORDS = _split(
    # pandas, numpy and polars
    "aggfunc as_index ascending axis bins by categories cache chunksize closed columns comment",
    "compression convert_dates copy data date_format dayfirst ddof decimal deep default",
    "delimiter descending drop drop_first drop_level dropna dtype dtype_backend dummy_na",
    "encoding encoding_errors engine errors exist_ok expand fill_value flags float_format format",
    "freq group_keys header how id_vars ignore_index ignore_nulls include include_lowest",
    "inclusive index index_col index_label indicator infer_schema_length inplace join keep",
    "keepdims key labels left_index left_on level limit low_memory maintain_order margins",
    "margins_name memory_map method min_periods mode na_position na_rep na_values normalize",
    "nrows nulls_last numeric_only observed on on_bad_lines ordered orient origin parents",
    "parse_dates pct periods precision prefix quotechar quoting regex replace return_dtype right",
    "right_index right_on rsuffix schema_overrides separator sep sheet_name show_counts",
    "skip_blank_lines skipfooter skipinitialspace skipna skiprows sort storage_options strict",
    "subset suffix suffixes thousands time_unit time_zone try_parse_dates tz unit usecols utc",
    "validate value_name value_vars values var_name verify_integrity weights window yearfirst",
    # plots
    "alpha annot aspect ax bbox_inches bbox_to_anchor bw_adjust capsize cbar ci cmap col_order",
    "col_wrap color color_continuous_scale color_discrete_sequence colors common_norm",
    "constrained_layout cumulative density dodge dpi ecolor edgecolor element errorbar estimator",
    "facecolor facet_col facet_row figsize fill fit_reg fmt fontsize fontweight frameon ha",
    "height hover_data hue hue_order histtype inner jitter kde kind label layout legend",
    "linestyle linewidth linewidths loc log log_scale log_x log_y lw markers marker markersize",
    "markeredgecolor multiple native_scale ncol ncols notch opacity order orientation pad",
    "palette patch_artist robust rotation rot sharex sharey showfliers showlegend showmeans size",
    "sizes square stacked stat style subplots template ticks title title_fontsize transparent",
    "trendline va vert visible vmax vmin width widths x xerr xlabel xlim xticks y yerr ylabel",
    "ylim yticks zorder",
    # models, files and others
    "average batch_size bootstrap C check class_weight criterion cv early_stopping end",
    "fit_intercept flush handle_unknown init learning_rate max_depth max_features max_iter",
    "max_leaf_nodes metric min_samples_leaf min_samples_split multi_class multioutput n_clusters",
    "n_components n_estimators n_init n_jobs n_neighbors n_repeats n_splits newline oob_score",
    "penalty pos_label random_state refit remainder return_train_score scoring seed shuffle",
    "solver sparse_output stratify subsample test_size timeout tol train_size verbose verify",
    "warm_start with_mean with_std zero_division ensure_ascii indent sort_keys capture_output",
    "raw reverse",
)
