internal import RxHost
internal import RxPlatform

/// Reads rights: `[access]`, and the `allow` of an action or a reactor.
struct AccessReader {
    let identities: Identities
    let faults: FaultList

    /// Longest `contact` in bytes: every refusal repeats it.
    private static let contactBytes = 256

    /// `[access]`: the rights, and whom to ask for one. A missing right has the value that `Access()` gives it.
    func read(section table: TableReader) -> (access: Access, contact: String?) {
        var table = table
        let access = readOperations(&table, defaults: Access())
        let contact = table.string("contact").flatMap { $0.isEmpty ? nil : $0 }
        if let contact, contact.utf8.count > Self.contactBytes {
            faults.add(
                "must have at most \(Self.contactBytes) bytes", at: table.place(of: "contact"),
                key: table.path + ["contact"])
        }
        table.finish { key, _ in
            ["users", "groups"].contains(key) ? "put it into execute, subscribe, or manage" : nil
        }
        return (access, contact)
    }

    /// `allow`. A missing key has its value in `defaults`, which is `[access]`. Nil, with a fault added, if invalid.
    func read(allow node: TOMLNode, path: [String], defaults: Access) -> Access? {
        if case .string("all") = node.content {
            return Access(execute: .everyone, subscribe: .everyone, manage: defaults.manage)
        }
        guard case .table(let members) = node.content else {
            let what = if case .string(let text) = node.content { "\"\(text)\"" } else { node.kind }
            faults.add(
                "must be \"all\" or a table such as { groups = [\"deploy\"] }, not \(what)", at: node.place, key: path)
            return nil
        }
        guard var table = TableReader(node, path: path, faults: faults) else { return nil }
        defer { table.finish() }
        let access = readOperations(&table, defaults: defaults)
        let people = readPeople(&table)
        let isLong = Self.operations.contains { members[$0] != nil }
        guard table.isGiven("users") || table.isGiven("groups") else {
            if members.isEmpty { table.fault("is empty; name users or groups, or execute, subscribe, or manage") }
            return access
        }
        guard !isLong else {
            table.fault("put users and groups into execute, subscribe, or manage if one of these is present")
            return access
        }
        return Access(execute: people, subscribe: people, manage: defaults.manage)
    }

    // MARK: Parts

    private static let operations = ["execute", "subscribe", "manage"]

    private func readOperations(_ table: inout TableReader, defaults: Access) -> Access {
        var access = defaults
        if let grant = readGrant("execute", &table) { access.execute = grant }
        if let grant = readGrant("subscribe", &table) { access.subscribe = grant }
        if let grant = readGrant("manage", &table) { access.manage = grant }
        return access
    }

    /// `"all"`, or `{ users = […], groups = […] }`.
    private func readGrant(_ key: String, _ table: inout TableReader) -> Access.Grant? {
        guard let node = table.node(key) else { return nil }
        switch node.content {
        case .string("all"):
            return .everyone
        case .table(let members):
            guard var people = TableReader(node, path: table.path + [key], faults: faults) else { return nil }
            defer { people.finish() }
            if members.isEmpty { people.fault("is empty; name users or groups; { users = [] } means nobody") }
            return readPeople(&people)
        case .string(let text):
            table.fault("must be \"all\" or a table { users, groups }, not \"\(text)\"", at: node, key: key)
        case .integer, .float, .boolean, .array, .time:
            table.fault("must be \"all\" or a table { users, groups }, not \(node.kind)", at: node, key: key)
        }
        return nil
    }

    private func readPeople(_ table: inout TableReader) -> Access.Grant {
        .only(users: readIDs("users", .user, &table), groups: readIDs("groups", .group, &table))
    }

    /// The ids that can be resolved; a fault for each of the others.
    private func readIDs(_ key: String, _ kind: Identities.Kind, _ table: inout TableReader) -> Set<UInt32> {
        guard let node = table.node(key) else { return [] }
        guard case .array(let elements) = node.content else {
            table.fault("must be an array of names or ids, not \(node.kind)", at: node, key: key)
            return []
        }
        return elements.enumerated().reduce(into: []) { ids, element in
            let path = table.path + [key, "[\(element.offset)]"]
            if let id = readID(element.element, kind, path) { ids.insert(id) }
        }
    }

    private func readID(_ node: TOMLNode, _ kind: Identities.Kind, _ path: [String]) -> UInt32? {
        let id: UInt32
        let name: String
        switch node.content {
        case .integer(let number):
            // The last id means "none" to the kernel.
            guard (0..<Int(UInt32.max)).contains(number) else {
                faults.add(
                    "is not a valid \(kind.idWord): these are from 0 to \(UInt32.max - 1)", at: node.place, key: path)
                return nil
            }
            id = UInt32(number)
            name = "\(kind.idWord) \(number)"
        case .string(let text):
            switch identities.find(kind, text) {
            case .id(let found):
                id = found
                name = "\(kind.word) \(text) (\(kind.idWord) \(found))"
            case .unknown:
                let isNumber =
                    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                let hint = isNumber ? "; write a \(kind.idWord) without quotes" : ""
                faults.add("no such \(kind.word): \"\(text)\"\(hint)", at: node.place, key: path)
                return nil
            case .failed(let code):
                faults.add(
                    "\(kind.word) \"\(text)\" cannot be looked up: \(SystemErrorName.text(of: code))", at: node.place,
                    key: path)
                return nil
            }
        case .float, .boolean, .array, .table, .time:
            faults.add(
                "must be the name of a \(kind.word) or a \(kind.idWord), not \(node.kind)", at: node.place, key: path)
            return nil
        }
        guard identities.map(of: kind).distinguishes(id) else {
            faults.add(
                "\(name) is hidden by the user namespace that rxd runs in, which shows such clients as "
                    + "\(NamespaceMap.overflowID): run it without (PrivateUsers=no), or leave this out",
                at: node.place, key: path)
            return nil
        }
        return id
    }
}
