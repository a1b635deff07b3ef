/// What the compiler noted while it built: declarations, where they are used, and what they belong to.
struct Index {
    struct Symbol: Hashable {
        let usr: String
        let name: String
        let isType: Bool
    }

    struct Use: Hashable {
        let symbol: Symbol
        let file: String
        let line: Int
        let column: Int
    }

    private(set) var uses: [Use] = []
    /// Every declaration, with the one that it is a member of; an extension stands for the type that it extends.
    private(set) var owners: [Symbol: Symbol?] = [:]
    /// What each type inherits from or conforms to, by name.
    private(set) var supertypes: [String: Set<String>] = [:]

    struct Unreadable: Error {
        let path: String
    }

    init(store path: String) throws {
        var error: indexstore_error_t?
        guard let store = indexstore_store_create(path, &error) else { throw Unreadable(path: path) }
        defer { indexstore_store_dispose(store) }

        let units: [String] = collect { indexstore_store_units_apply_f(store, 0, $0, { append(text($1), to: $0) }) }
        for unit in units {
            guard let reader = indexstore_unit_reader_create(store, unit, &error) else {
                throw Unreadable(path: unit)
            }
            defer { indexstore_unit_reader_dispose(reader) }
            let file = text(indexstore_unit_reader_get_main_file(reader))
            if indexstore_unit_reader_is_system_unit(reader) || !file.hasSuffix(".swift") { continue }
            let records: [String] = collect {
                indexstore_unit_reader_dependencies_apply_f(
                    reader, $0,
                    { context, dependency in
                        if indexstore_unit_dependency_get_kind(dependency) == INDEXSTORE_UNIT_DEPENDENCY_RECORD {
                            append(text(indexstore_unit_dependency_get_name(dependency)), to: context)
                        }
                        return true
                    })
            }
            for record in records { try read(record, of: file, in: store) }
        }
    }

    /// The name of the type that `symbol` belongs to, and those that this is nested in.
    func enclosing(_ symbol: Symbol) -> [String] {
        var names: [String] = []
        var current = symbol
        while case .some(.some(let owner)) = owners[current], names.count < 8 {
            names.append(owner.name)
            current = owner
        }
        return names
    }

    /// All that `type` inherits from, and itself.
    func ancestors(of type: String) -> Set<String> {
        var found: Set<String> = [type]
        var waiting = [type]
        while let next = waiting.popLast() {
            for above in supertypes[next] ?? [] where found.insert(above).inserted { waiting.append(above) }
        }
        return found
    }

    private enum Role {
        static let declaration = UInt64(INDEXSTORE_SYMBOL_ROLE_DECLARATION)
        static let definition = UInt64(INDEXSTORE_SYMBOL_ROLE_DEFINITION)
        static let childOf = UInt64(INDEXSTORE_SYMBOL_ROLE_REL_CHILDOF)
        static let baseOf = UInt64(INDEXSTORE_SYMBOL_ROLE_REL_BASEOF)
    }

    private struct Occurrence {
        let symbol: Symbol
        let roles: UInt64
        let line: Int
        let column: Int
        let relations: [(roles: UInt64, symbol: Symbol)]
    }

    private mutating func read(_ record: String, of file: String, in store: indexstore_t) throws {
        var error: indexstore_error_t?
        guard let reader = indexstore_record_reader_create(store, record, &error) else {
            throw Unreadable(path: record)
        }
        defer { indexstore_record_reader_dispose(reader) }
        let occurrences: [Occurrence] = collect {
            indexstore_record_reader_occurrences_apply_f(
                reader, $0,
                { context, occurrence in
                    guard let occurrence else { return true }
                    append(Index.occurrence(occurrence), to: context)
                    return true
                })
        }
        for occurrence in occurrences {
            if occurrence.roles & (Role.definition | Role.declaration) != 0 {
                let owner = occurrence.relations.first { $0.roles & Role.childOf != 0 }
                owners.updateValue(owner?.symbol, forKey: occurrence.symbol)
            } else {
                uses.append(
                    Use(symbol: occurrence.symbol, file: file, line: occurrence.line, column: occurrence.column))
            }
            for relation in occurrence.relations where relation.roles & Role.baseOf != 0 {
                supertypes[relation.symbol.name, default: []].insert(occurrence.symbol.name)
            }
        }
    }

    private static func occurrence(_ occurrence: indexstore_occurrence_t) -> Occurrence {
        var line: UInt32 = 0
        var column: UInt32 = 0
        indexstore_occurrence_get_line_col(occurrence, &line, &column)
        let relations: [(roles: UInt64, symbol: Symbol)] = collect {
            indexstore_occurrence_relations_apply_f(
                occurrence, $0,
                { context, relation in
                    guard let relation else { return true }
                    let found = (
                        roles: indexstore_symbol_relation_get_roles(relation),
                        symbol: Index.symbol(indexstore_symbol_relation_get_symbol(relation))
                    )
                    append(found, to: context)
                    return true
                })
        }
        return Occurrence(
            symbol: symbol(indexstore_occurrence_get_symbol(occurrence)),
            roles: indexstore_occurrence_get_roles(occurrence), line: Int(line), column: Int(column),
            relations: relations)
    }

    private static func symbol(_ symbol: indexstore_symbol_t?) -> Symbol {
        let kinds = [
            INDEXSTORE_SYMBOL_KIND_ENUM, INDEXSTORE_SYMBOL_KIND_STRUCT, INDEXSTORE_SYMBOL_KIND_CLASS,
            INDEXSTORE_SYMBOL_KIND_PROTOCOL, INDEXSTORE_SYMBOL_KIND_TYPEALIAS, INDEXSTORE_SYMBOL_KIND_EXTENSION,
        ]
        return Symbol(
            usr: text(indexstore_symbol_get_usr(symbol)), name: text(indexstore_symbol_get_name(symbol)),
            isType: kinds.contains(indexstore_symbol_get_kind(symbol)))
    }
}

private func text(_ reference: indexstore_string_ref_t) -> String {
    String(decoding: UnsafeRawBufferPointer(start: reference.data, count: reference.length), as: UTF8.self)
}

/// Runs a C iteration, whose callback appends to the array that its context points at.
private func collect<Element>(_ iterate: (UnsafeMutableRawPointer) -> Bool) -> [Element] {
    var found: [Element] = []
    _ = withUnsafeMutablePointer(to: &found) { iterate(UnsafeMutableRawPointer($0)) }
    return found
}

@discardableResult
private func append<Element>(_ element: Element, to context: UnsafeMutableRawPointer?) -> Bool {
    context?.assumingMemoryBound(to: [Element].self).pointee.append(element)
    return true
}
