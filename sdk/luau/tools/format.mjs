// Whether the modules are formatted as stylua.toml says: node format.mjs STYLUA SDK [--write]
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const [stylua, sdk, write] = process.argv.slice(2)
const library = createRequire(import.meta.url)(join(stylua, "stylua_lib_node.cjs"))
// Names of stylua.toml, and the types of those that are words.
const WORDS = {
    syntax: library.LuaVersion,
    indent_type: library.IndentType,
    quote_style: library.QuoteStyle,
    call_parentheses: library.CallParenType,
    collapse_simple_statement: library.CollapseSimpleStatement,
}

// Formatting a file uses it up.
function config() {
    const made = library.Config.new()
    for (const line of readFileSync(join(sdk, "stylua.toml"), "utf8").split("\n").filter(Boolean)) {
        const [name, value] = line.split(" = ").map((part) => part.replaceAll('"', ""))
        made[name] = WORDS[name] ? WORDS[name][value] : Number(value)
    }
    return made
}

let wrong = 0
for (const name of readdirSync(join(sdk, "src"))) {
    const file = join(sdk, "src", name)
    const source = readFileSync(file, "utf8")
    const formatted = library.formatCode(source, config(), undefined, library.OutputVerification.Full)
    if (formatted === source) continue
    if (write) {
        writeFileSync(file, formatted)
        continue
    }
    wrong += 1
    const [is, should] = [source.split("\n"), formatted.split("\n")]
    const at = should.findIndex((line, number) => line !== is[number])
    console.log(`${file}:${at + 1} is not formatted: ${should[at]}`)
}
process.exit(wrong ? 1 : 0)
