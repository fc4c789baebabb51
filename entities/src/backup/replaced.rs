//! What a restore on Postgres replaces. The schema there may be of any release, so this asks the catalog what there is, and
//! reads no column that a release lacks.

use sea_orm::{DatabaseBackend, QueryResult, Statement};

use crate::process::DEAD_AFTER;
use crate::{Conn, Result, guild};

/// All that a release may have made. The turns are an order in which nothing depends on what was dropped before.
const OBJECTS: &str = "SELECT 'pg_class'::regclass AS catalog, oid, relnamespace AS namespace, relowner AS owner,
        CASE relkind WHEN 'v' THEN 1 WHEN 'm' THEN 2 WHEN 'S' THEN 4 ELSE 3 END AS turn,
        CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
        quote_ident(relname) AS name
    FROM pg_class WHERE relkind IN ('v', 'm', 'r', 'p', 'S')
    UNION ALL SELECT 'pg_proc'::regclass, oid, pronamespace, proowner, 5, 'ROUTINE',
        format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) FROM pg_proc
    UNION ALL SELECT 'pg_type'::regclass, oid, typnamespace, typowner, 6, 'TYPE', quote_ident(typname) FROM pg_type
    WHERE typtype IN ('d', 'e', 'r') OR typrelid IN (SELECT oid FROM pg_class WHERE relkind = 'c')";

/// The schema of our tables: what it has of their owner, but for what extensions have.
pub struct Replaced {
    schema: String,
}

impl Replaced {
    /// Where this connection makes tables; `None`: nowhere.
    pub async fn find(conn: &impl Conn) -> Result<Option<Self>> {
        let schema = ask(conn, "SELECT current_schema()::text").await?;
        let schema = schema.map(|row| row.try_get_by_index::<Option<String>>(0)).transpose()?.flatten();
        Ok(schema.map(|schema| Self { schema }))
    }

    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The number of all that is dropped.
    pub async fn objects(&self, conn: &impl Conn) -> Result<u64> {
        number(conn, &format!("SELECT count(*) FROM ({}) AS object", self.dropped())).await
    }

    /// Also those that are being removed; `None`: there is no table of guilds.
    pub async fn guilds(&self, conn: &impl Conn) -> Result<Option<u64>> {
        if !self.has(conn, "guild").await? {
            return Ok(None);
        }
        guild::count(conn).await.map(Some)
    }

    /// The roles of the processes that are alive, each with their number.
    pub async fn processes(&self, conn: &impl Conn) -> Result<Vec<(String, u64)>> {
        let mut alive = Vec::new();
        for (table, role) in [
            ("api_process", "coalesce(to_jsonb(process) ->> 'role', 'api')"),
            ("worker", "CASE WHEN (slots ->> 'maintenance')::bigint > 0 THEN 'scheduler' ELSE 'worker' END"),
        ] {
            if !self.has(conn, table).await? {
                continue;
            }
            let counted = format!(
                "SELECT {role}, count(*) FROM {table} AS process
                WHERE heartbeat_at > now() - interval '{} seconds' GROUP BY 1 ORDER BY 1 DESC",
                DEAD_AFTER.as_secs()
            );
            for row in conn.query_all_raw(Statement::from_string(DatabaseBackend::Postgres, counted)).await? {
                let number: i64 = row.try_get_by_index(1)?;
                alive.push((row.try_get_by_index(0)?, number.unsigned_abs()));
            }
        }
        Ok(alive)
    }

    /// The start of a transaction that has dropped everything. What belongs to others and depends on ours makes it fail.
    pub fn begin(&self) -> String {
        let (schema, dropped) = (literal(&self.schema), self.dropped());
        format!(
            "SET statement_timeout = 0;
            SET idle_in_transaction_session_timeout = 0;
            SET lock_timeout = '10s';
            SET client_min_messages = warning;
            BEGIN;
            DO $guildhall$ DECLARE command text; BEGIN
                FOR command IN
                    SELECT format('DROP %s IF EXISTS %s', kind, string_agg(format('%I.%s', {schema}, name), ', '))
                    FROM ({dropped}) AS object GROUP BY turn, kind ORDER BY turn
                LOOP EXECUTE command; END LOOP;
            END $guildhall$;\n"
        )
    }

    /// The end of that transaction, if our tables are there again: a file may be another program's.
    pub fn commit(&self) -> String {
        let (table, schema) = (self.table("guild"), &self.schema);
        let problem = literal(&format!("the file has no table `guild` of the schema `{schema}`"));
        format!(
            "DO $guildhall$ BEGIN
                IF to_regclass({table}) IS NULL THEN RAISE EXCEPTION USING MESSAGE = {problem}; END IF;
            END $guildhall$;
            COMMIT;\n"
        )
    }

    async fn has(&self, conn: &impl Conn, table: &str) -> Result<bool> {
        let there = format!("SELECT count(*) FROM pg_class WHERE oid = to_regclass({})", self.table(table));
        Ok(number(conn, &there).await? > 0)
    }

    fn dropped(&self) -> String {
        let (schema, guild) = (literal(&self.schema), self.table("guild"));
        format!(
            "SELECT turn, kind, name FROM ({OBJECTS}) AS object
            WHERE namespace = (SELECT oid FROM pg_namespace WHERE nspname = {schema})
                AND owner = coalesce((SELECT relowner FROM pg_class WHERE oid = to_regclass({guild})),
                    (SELECT oid FROM pg_roles WHERE rolname = current_user))
                AND NOT EXISTS (SELECT FROM pg_depend
                    WHERE classid = catalog AND objid = object.oid AND deptype = 'e')"
        )
    }

    /// Its name, as an expression.
    fn table(&self, name: &str) -> String {
        format!("format('%I.%I', {}, '{name}')", literal(&self.schema))
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

async fn number(conn: &impl Conn, sql: &str) -> Result<u64> {
    let number = ask(conn, sql).await?.map(|row| row.try_get_by_index::<i64>(0)).transpose()?;
    Ok(number.unwrap_or(0).unsigned_abs())
}

async fn ask(conn: &impl Conn, sql: &str) -> Result<Option<QueryResult>> {
    conn.query_one_raw(Statement::from_string(DatabaseBackend::Postgres, sql)).await
}
