//! The migrated SQLite file that tests copy.

use std::path::Path;

use runtime::{Database, DatabaseOptions};

use crate::connection::execute;

/// Copies the template to a new file, and creates the template first if it is missing.
pub(crate) async fn copy_template(file: &Path) {
    let template = std::env::temp_dir().join(format!("guildhall-template-{}.db", env!("SCHEMA_HASH")));
    if !template.is_file() {
        make(&template).await;
    }
    std::fs::copy(&template, file).unwrap();
}

/// Test processes may run this concurrently: each creates its own file, and the last rename wins.
async fn make(template: &Path) {
    let folder = tempfile::tempdir_in(template.parent().unwrap()).unwrap();
    let url = format!("sqlite://{}", folder.path().join("migrated.db").display());
    let database = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
    migrations::apply(database.write().unbounded()).await.unwrap();
    // One file, without a remaining write-ahead log.
    let whole = folder.path().join("whole.db");
    execute(database.write().unbounded(), &format!("VACUUM INTO '{}'", whole.display())).await;
    database.close().await;
    std::fs::rename(whole, template).unwrap();
}
