internal import RxAction
internal import RxStreams

/// Warns of each stream that nothing reads and that executes nothing.
func warnOfUnused(
    _ streams: [ReadStream], _ bindings: [ReadBinding], _ actions: [ConfiguredAction], _ faults: FaultList
) {
    var used = Set(bindings.map(\.definition.stream))
    for action in actions { used.formUnion(action.condition?.streams ?? []) }
    for stream in streams {
        used.formUnion(stream.definition.reads)
        used.formUnion(stream.stream.condition?.streams ?? [])
    }
    for stream in streams where !used.contains(stream.name) && stream.definition.executes.isEmpty {
        faults.warn("nothing uses the stream, and it executes nothing", at: stream.place, key: stream.path)
    }
}

/// Refuses `missed = "all"` for an action whose executions do not follow each other: what is owed could not be given to
/// it one at a time.
func refuseLateSlots(
    _ streams: [ReadStream], _ bindings: [ReadBinding], _ actions: [ConfiguredAction], _ faults: FaultList
) {
    let byName = Dictionary(streams.map { ($0.name, $0) }) { first, _ in first }
    let overlaps = Dictionary(actions.map { ($0.name, $0.overlap) }) { first, _ in first }
    for binding in bindings {
        guard case .action(let name) = binding.definition.target, let overlap = overlaps[name],
            [.latest, .join].contains(overlap)
        else { continue }
        var names = [binding.definition.stream]
        var seen: Set<String> = []
        while let name = names.popLast() {
            guard seen.insert(name).inserted, let stream = byName[name] else { continue }
            for source in stream.definition.source.leaves {
                switch source {
                case .external(let source) where source.text("missed") == "all":
                    let isOwn = stream.stream.owner == binding.definition.target
                    let which = isOwn ? "" : " of the stream \"\(stream.name)\""
                    faults.add(
                        "missed = \"all\"\(which) needs executions that follow each other, not overlap = "
                            + "\"\(overlap.kind.rawValue)\"",
                        at: isOwn ? stream.place : binding.place, key: isOwn ? stream.path : binding.path)
                case .stream(let other, .elements): names.append(other)
                case .external, .stream, .merge, .combineLatest, .zip: continue
                }
            }
        }
    }
}
