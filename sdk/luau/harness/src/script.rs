//! Loads the platform's part in Luau (`roblox/`) and the SDK into a virtual machine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use mlua::{Function, Lua, MultiValue, Result, Table, Value};
use rand::RngExt as _;

use crate::json;
use crate::network::Call;
use crate::seen::{Place, Seen};
use crate::shared::{Due, Shared};

/// What a script finds besides the platform's own globals. There is no `wait`, `spawn` or `delay`.
const STANDARD: [&str; 25] = [
    "assert",
    "bit32",
    "buffer",
    "coroutine",
    "debug",
    "error",
    "getmetatable",
    "ipairs",
    "math",
    "next",
    "pairs",
    "pcall",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "string",
    "table",
    "tonumber",
    "tostring",
    "type",
    "utf8",
    "xpcall",
];

pub(crate) struct Platform {
    pub(crate) people: Table,
    pub(crate) close: Function,
    pub(crate) environment: Table,
}

fn sdk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

/// What the platform's part calls.
pub(crate) fn host(
    lua: &Lua,
    index: usize,
    place: &Place,
    shared: &Rc<Shared>,
    seen: &Rc<RefCell<Seen>>,
) -> Result<Table> {
    let host = lua.create_table()?;
    host.set("job", place.job.as_str())?;
    host.set("place", place.place)?;
    host.set("universe", place.universe)?;
    host.set("studio", place.studio)?;
    let secret = place.secret.clone();
    let named = move |_: &Lua, name: String| Ok((name == "guildhall").then(|| secret.clone()));
    host.set("secret", lua.create_function(named)?)?;
    clock(lua, &host, index, shared)?;
    record(lua, &host, shared, seen)?;
    host.set("encode", lua.create_function(|_, value: Value| Ok(json::encode(&value)?.to_string()))?)?;
    let decode = |lua: &Lua, text: String| {
        serde_json::from_str(&text).map_or(Ok(Value::Nil), |value| json::decode(lua, &value))
    };
    host.set("decode", lua.create_function(decode)?)?;
    Ok(host)
}

fn clock(lua: &Lua, host: &Table, index: usize, shared: &Rc<Shared>) -> Result<()> {
    let world = shared.clone();
    host.set("now", lua.create_function(move |_, ()| Ok(world.now()))?)?;
    let world = shared.clone();
    let after = move |_: &Lua, (seconds, callback): (f64, Function)| {
        world.agenda.borrow_mut().enter(world.now() + seconds, Due::Callback(callback));
        Ok(())
    };
    host.set("after", lua.create_function(after)?)?;
    let world = shared.clone();
    host.set("random", lua.create_function(move |_, ()| Ok(world.random.borrow_mut().random::<f64>()))?)?;
    let world = shared.clone();
    let guid = move |_: &Lua, ()| {
        let (high, low): (u64, u64) = world.random.borrow_mut().random();
        Ok(format!("{high:016X}-{low:016X}"))
    };
    host.set("guid", lua.create_function(guid)?)?;
    let world = shared.clone();
    type Asked = (String, String, HashMap<String, String>, String, Function);
    let request = move |_: &Lua, (method, url, headers, body, callback): Asked| {
        world.request(index, Call { method, url, headers, body }, callback);
        Ok(())
    };
    host.set("request", lua.create_function(request)?)
}

/// A list of what a script did.
type Texts = fn(&mut Seen) -> &mut Vec<String>;

fn record(lua: &Lua, host: &Table, shared: &Rc<Shared>, seen: &Rc<RefCell<Seen>>) -> Result<()> {
    let (world, log) = (shared.clone(), seen.clone());
    let kicked = move |_: &Lua, (user, text): (i64, String)| {
        log.borrow_mut().kicked.push((user, text, world.now()));
        Ok(())
    };
    host.set("kicked", lua.create_function(kicked)?)?;
    let (world, log) = (shared.clone(), seen.clone());
    let loaded = move |_: &Lua, user: i64| {
        log.borrow_mut().loaded.push((user, world.now()));
        Ok(())
    };
    host.set("loaded", lua.create_function(loaded)?)?;
    let texts: [(&str, Texts); 3] = [
        ("warned", |seen| &mut seen.warned),
        ("printed", |seen| &mut seen.printed),
        ("failed", |seen| &mut seen.failed),
    ];
    for (name, list) in texts {
        let log = seen.clone();
        let write = move |_: &Lua, text: String| {
            list(&mut log.borrow_mut()).push(text);
            Ok(())
        };
        host.set(name, lua.create_function(write)?)?;
    }
    let log = seen.clone();
    let over_budget = move |_: &Lua, ()| {
        log.borrow_mut().over_budget += 1;
        Ok(())
    };
    host.set("over_budget", lua.create_function(over_budget)?)?;
    let log = seen.clone();
    let closed = move |_: &Lua, in_time: bool| {
        log.borrow_mut().closed.get_or_insert(in_time);
        Ok(())
    };
    host.set("closed", lua.create_function(closed)?)
}

pub(crate) fn load(lua: &Lua, host: Table) -> Result<Platform> {
    let part = |name: &str, source: &str| lua.load(source).set_name(format!("={name}")).into_function();
    let task: Table = part("task", include_str!("roblox/task.luau"))?.call(host.clone())?;
    let instances: Table = part("instances", include_str!("roblox/instances.luau"))?.call(task.clone())?;
    let http: Value = part("http_service", include_str!("roblox/http_service.luau"))?.call((
        host.clone(),
        task.clone(),
        instances.clone(),
    ))?;
    let people: Table = part("players", include_str!("roblox/players.luau"))?.call((
        host.clone(),
        task.clone(),
        instances.clone(),
    ))?;
    let game: Table = part("game", include_str!("roblox/game.luau"))?.call((
        host,
        task,
        instances,
        http,
        people.clone(),
    ))?;
    let environment: Table = game.get("globals")?;
    for name in STANDARD {
        environment.set(name, lua.globals().get::<Value>(name)?)?;
    }
    environment.set("require", require(lua, &environment)?)?;
    // On the platform an unknown global is nil; here it is a fault.
    let unknown = lua.create_function(|_, (_, name): (Value, String)| -> Result<Value> {
        Err(mlua::Error::runtime(format!("unknown global {name}")))
    })?;
    let strict = lua.create_table()?;
    strict.set("__index", unknown)?;
    environment.set_metatable(Some(strict))?;
    environment.set("Guildhall", environment.get::<Function>("require")?.call::<Value>("@self/init")?)?;
    Ok(Platform { people, close: game.get("close")?, environment })
}

/// `require` by string, of modules of the SDK, and of the SDK itself by its module script.
fn require(lua: &Lua, environment: &Table) -> Result<Function> {
    let loaded: Rc<RefCell<HashMap<String, MultiValue>>> = Rc::default();
    let environment = environment.clone();
    lua.create_function(move |lua, module: Value| {
        let path = module
            .as_string()
            .map_or(Ok("@self/init".to_owned()), |path| path.to_str().map(|path| path.to_owned()))?;
        let name = path.strip_prefix("./").or(path.strip_prefix("@self/"));
        let name = name.ok_or_else(|| mlua::Error::runtime(format!("require: {path}")))?;
        if let Some(module) = loaded.borrow().get(name) {
            return Ok(module.clone());
        }
        let source = std::fs::read_to_string(sdk().join(name).with_extension("luau"))?;
        let chunk = lua.load(source).set_name(format!("={name}")).set_environment(environment.clone());
        let module: MultiValue = chunk.call(())?;
        loaded.borrow_mut().insert(name.to_owned(), module.clone());
        Ok(module)
    })
}
