# Ruby's build for WASI under wasmtime: what "Ruby" asks of Tern's engine, in the same lines.
import resource
import sys
import time

import wasmtime

file, script = sys.argv[1:]
lines = []
# Seconds of the processor: loading, and then each run.
spent = [0.0]


def timed(what, action):
    start, cpu = time.perf_counter(), time.process_time()
    result = action()
    used = time.process_time() - cpu
    lines.append("%-12s %8.3f s, %8.3f of the processor" % (what, time.perf_counter() - start, used))
    spent[-1] += used
    return result


engine = wasmtime.Engine()
module = timed("load", lambda: wasmtime.Module.from_file(engine, file))


def once():
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.argv = ["ruby.wasm"]
    wasi.inherit_stdout()
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    values = []

    def new(value):
        values.append(value)
        return len(values) - 1

    def stub(name):
        def refuse(*_):
            raise wasmtime.Trap(name)

        return refuse

    for imported in module.imports:
        if imported.module == "wasi_snapshot_preview1":
            continue
        action = {"resource_new_rb-abi-value": new, "resource_get_rb-abi-value": values.__getitem__}
        linker.define_func(imported.module, imported.name, imported.type, action.get(imported.name, stub(imported.name)))
    instance = timed("instantiate", lambda: linker.instantiate(store, module))
    exports = instance.exports(store)
    memory = exports["memory"]

    def put(text):
        at = exports["cabi_realloc"](store, 0, 0, 1, len(text))
        memory.write(store, text, at)
        return at, len(text)

    def start():
        words = [n for a in (b"ruby.wasm\0", b"-EUTF-8\0", b"-e_=0\0") for n in put(a)]
        at = exports["cabi_realloc"](store, 0, 0, 4, 4 * len(words))
        memory.write(store, b"".join(n.to_bytes(4, "little") for n in words), at)
        exports["ruby-init: func(args: list<string>) -> ()"](store, at, len(words) // 2)

    def run():
        text = put(script.encode() + b"\n$stdout.flush\0")
        at = exports["rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>"](store, *text)
        if bytes(memory.read(store, at + 4, at + 8)) != bytes(4):
            sys.exit("the script raised an exception")

    timed("initialize", lambda: exports["_initialize"](store))
    timed("ruby-init", start)
    timed("eval", run)


for turn in (1, 2):
    lines.append("run %d" % turn)
    spent.append(0.0)
    once()
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
lines.append("%d MB at most" % most)
lines.append("in all " + " ".join(map(str, spent + [most])))
print("\n".join(lines), file=sys.stderr)
