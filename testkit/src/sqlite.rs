//! The migrated SQLite file that tests copy.

use std::path::Path;

use runtime::{Database, DatabaseOptions};

use crate::connection::execute;

/// Copies the template to a new file, and makes the template first where it is missing.
pub(crate) async fn copy_template(file: &Path) {
    let template = std::env::temp_dir().join(format!("guildhall-template-{}.db", env!("SCHEMA_HASH")));
    if !template.is_file() {
        make(&template).await;
    }
    std::fs::copy(&template, file).unwrap();
}

/// Test processes may do so side by side: each makes its own, and the last one renamed stays.
async fn make(template: &Path) {
    let folder = tempfile::tempdir_in(template.parent().unwrap()).unwrap();
    let url = format!("sqlite://{}", folder.path().join("migrated.db").display());
    let database = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
    migrations::apply(database.write()).await.unwrap();
    // One file, with nothing left in a log beside it.
    let whole = folder.path().join("whole.db");
    execute(database.write(), &format!("VACUUM INTO '{}'", whole.display())).await;
    database.close().await;
    std::fs::rename(whole, template).unwrap();
}
