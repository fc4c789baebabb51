//! A game server: its players, its script, and what was seen there.

use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Function, Lua, Table};

use crate::network::{Answer, Outcome};
use crate::script;
use crate::seen::{Place, Seen};
use crate::shared::Shared;

pub struct Server {
    lua: Lua,
    people: Table,
    close: Function,
    environment: Table,
    seen: Rc<RefCell<Seen>>,
}

impl Server {
    pub(crate) fn new(index: usize, place: Place, shared: Rc<Shared>) -> mlua::Result<Self> {
        let seen = Rc::new(RefCell::new(Seen::default()));
        let lua = Lua::new();
        let host = script::host(&lua, index, &place, &shared, &seen)?;
        let script::Platform { people, close, environment } = script::load(&lua, host)?;
        Ok(Self { lua, people, close, environment, seen })
    }

    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Reads what was seen without a copy.
    pub fn look<T>(&self, read: impl FnOnce(&Seen) -> T) -> T {
        read(&self.seen.borrow())
    }

    /// Runs a server script; `Guildhall` is the SDK.
    pub fn run(&self, source: &str) -> mlua::Result<()> {
        let chunk = self.lua.load(source).set_name("=script").set_environment(self.environment.clone());
        let thread = self.lua.create_thread(chunk.into_function()?)?;
        let spawn: Function = self.environment.get::<Table>("task")?.get("spawn")?;
        spawn.call::<()>(thread)
    }

    /// The value of an expression that does not yield.
    pub fn eval<T: mlua::FromLuaMulti>(&self, source: &str) -> mlua::Result<T> {
        self.lua.load(source).set_name("=script").set_environment(self.environment.clone()).eval()
    }

    pub fn join(&self, user: i64) -> mlua::Result<()> {
        self.people.get::<Function>("join")?.call((user, format!("player{user}")))
    }

    pub fn leave(&self, user: i64) -> mlua::Result<()> {
        self.people.get::<Function>("leave")?.call(user)
    }

    pub fn players(&self) -> mlua::Result<Vec<i64>> {
        self.people.get::<Function>("everyone")?.call(())
    }

    pub fn can_send(&self, user: i64) -> mlua::Result<bool> {
        self.people.get::<Function>("can_send")?.call(user)
    }

    /// Begins the end of the server; `seen().closed` says how it ended.
    pub fn close(&self) -> mlua::Result<()> {
        self.close.call(())
    }

    pub(crate) fn answered(&self, callback: &Function, outcome: Outcome) -> mlua::Result<()> {
        match outcome {
            Err(problem) => callback.call((problem, mlua::Nil)),
            Ok(Answer { status, headers, body }) => {
                let response = self.lua.create_table()?;
                response.set("StatusCode", status)?;
                response.set("StatusMessage", "")?;
                response.set("Headers", self.lua.create_table_from(headers)?)?;
                response.set("Body", body)?;
                callback.call((mlua::Nil, response))
            }
        }
    }
}
