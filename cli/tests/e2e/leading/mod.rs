//! Of several scheduler processes one leads.

mod kills;
