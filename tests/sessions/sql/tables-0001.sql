CREATE TABLE aiserver_blobs (
	owner VARCHAR(200) NOT NULL,
	sha256 VARCHAR(64) NOT NULL,
	data BLOB NOT NULL,
	PRIMARY KEY (owner, sha256)
)
CREATE TABLE aiserver_items (
	owner VARCHAR(200) NOT NULL,
	notebook_id VARCHAR(64) NOT NULL,
	cell_id VARCHAR(64) NOT NULL,
	item_index INTEGER NOT NULL,
	kind SMALLINT NOT NULL,
	event_id VARCHAR(64),
	write_id BIGINT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (owner, notebook_id, cell_id, item_index)
)
CREATE INDEX aiserver_items_event_id ON aiserver_items (owner, notebook_id, cell_id, event_id)
CREATE TABLE aiserver_notebook_log (
	owner VARCHAR(200) NOT NULL,
	notebook_id VARCHAR(64) NOT NULL,
	seq BIGINT NOT NULL,
	write_id BIGINT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (owner, notebook_id, seq)
)
CREATE TABLE aiserver_notebooks (
	owner VARCHAR(200) NOT NULL,
	notebook_id VARCHAR(64) NOT NULL,
	next_seq BIGINT NOT NULL,
	mark BIGINT NOT NULL,
	PRIMARY KEY (owner, notebook_id)
)
CREATE TABLE aiserver_owners (
	owner VARCHAR(200) NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (owner)
)
CREATE TABLE aiserver_sessions (
	owner VARCHAR(200) NOT NULL,
	notebook_id VARCHAR(64) NOT NULL,
	cell_id VARCHAR(64) NOT NULL,
	meta TEXT NOT NULL,
	extra TEXT NOT NULL,
	events SMALLINT NOT NULL,
	counters TEXT NOT NULL,
	summary TEXT NOT NULL,
	PRIMARY KEY (owner, notebook_id, cell_id)
)
CREATE TABLE aiserver_schema (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT aiserver_schema_pkc PRIMARY KEY (version_num)
)
CREATE TABLE aiserver_blobs (
	owner VARCHAR(200) COLLATE "C" NOT NULL,
	sha256 VARCHAR(64) COLLATE "C" NOT NULL,
	data BYTEA NOT NULL,
	PRIMARY KEY (owner, sha256)
)
CREATE TABLE aiserver_items (
	owner VARCHAR(200) COLLATE "C" NOT NULL,
	notebook_id VARCHAR(64) COLLATE "C" NOT NULL,
	cell_id VARCHAR(64) COLLATE "C" NOT NULL,
	item_index INTEGER NOT NULL,
	kind SMALLINT NOT NULL,
	event_id VARCHAR(64) COLLATE "C",
	write_id BIGINT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (owner, notebook_id, cell_id, item_index)
)
CREATE INDEX aiserver_items_event_id ON aiserver_items (owner, notebook_id, cell_id, event_id)
CREATE TABLE aiserver_notebook_log (
	owner VARCHAR(200) COLLATE "C" NOT NULL,
	notebook_id VARCHAR(64) COLLATE "C" NOT NULL,
	seq BIGINT NOT NULL,
	write_id BIGINT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (owner, notebook_id, seq)
)
CREATE TABLE aiserver_notebooks (
	owner VARCHAR(200) COLLATE "C" NOT NULL,
	notebook_id VARCHAR(64) COLLATE "C" NOT NULL,
	next_seq BIGINT NOT NULL,
	mark BIGINT NOT NULL,
	PRIMARY KEY (owner, notebook_id)
)
CREATE TABLE aiserver_owners (
	owner VARCHAR(200) COLLATE "C" NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (owner)
)
CREATE TABLE aiserver_sessions (
	owner VARCHAR(200) COLLATE "C" NOT NULL,
	notebook_id VARCHAR(64) COLLATE "C" NOT NULL,
	cell_id VARCHAR(64) COLLATE "C" NOT NULL,
	meta TEXT NOT NULL,
	extra TEXT NOT NULL,
	events SMALLINT NOT NULL,
	counters TEXT NOT NULL,
	summary TEXT NOT NULL,
	PRIMARY KEY (owner, notebook_id, cell_id)
)
CREATE TABLE aiserver_schema (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT aiserver_schema_pkc PRIMARY KEY (version_num)
)
CREATE TABLE aiserver_blobs (
	owner VARBINARY(200) NOT NULL,
	sha256 VARBINARY(64) NOT NULL,
	data LONGBLOB NOT NULL,
	PRIMARY KEY (owner, sha256)
)ENGINE=InnoDB CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
CREATE TABLE aiserver_items (
	owner VARBINARY(200) NOT NULL,
	notebook_id VARBINARY(64) NOT NULL,
	cell_id VARBINARY(64) NOT NULL,
	item_index INTEGER NOT NULL,
	kind SMALLINT NOT NULL,
	event_id VARBINARY(64),
	write_id BIGINT NOT NULL,
	content LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	PRIMARY KEY (owner, notebook_id, cell_id, item_index)
)ENGINE=InnoDB CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
CREATE INDEX aiserver_items_event_id ON aiserver_items (owner, notebook_id, cell_id, event_id)
CREATE TABLE aiserver_notebook_log (
	owner VARBINARY(200) NOT NULL,
	notebook_id VARBINARY(64) NOT NULL,
	seq BIGINT NOT NULL,
	write_id BIGINT NOT NULL,
	content LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	PRIMARY KEY (owner, notebook_id, seq)
)ENGINE=InnoDB CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
CREATE TABLE aiserver_notebooks (
	owner VARBINARY(200) NOT NULL,
	notebook_id VARBINARY(64) NOT NULL,
	next_seq BIGINT NOT NULL,
	mark BIGINT NOT NULL,
	PRIMARY KEY (owner, notebook_id)
)ENGINE=InnoDB CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
CREATE TABLE aiserver_owners (
	owner VARBINARY(200) NOT NULL,
	name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	PRIMARY KEY (owner)
)ENGINE=InnoDB CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
CREATE TABLE aiserver_sessions (
	owner VARBINARY(200) NOT NULL,
	notebook_id VARBINARY(64) NOT NULL,
	cell_id VARBINARY(64) NOT NULL,
	meta LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	extra LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	events SMALLINT NOT NULL,
	counters LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	summary LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	PRIMARY KEY (owner, notebook_id, cell_id)
)ENGINE=InnoDB CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
CREATE TABLE aiserver_schema (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT aiserver_schema_pkc PRIMARY KEY (version_num)
)
