import RxHost
import RxPlatform
import Testing
import TestSupport

@testable import RxConfiguration

@Suite("Who may do what, in the configuration", .countedApart)
struct AccessReaderTests {
    private let directory = TemporaryDirectory()

    /// ann is 1001, bob 1002; group deploy is 2001, and the database of users has a disk error for "broken".
    private var identities = Identities { kind, name in
        switch (kind, name) {
        case (.user, "ann"): .id(1001)
        case (.user, "bob"): .id(1002)
        case (.group, "deploy"): .id(2001)
        case (_, "broken"): .failed(errno: 5)
        default: .unknown
        }
    }

    private func load(_ text: String) throws -> Configuration {
        directory.write("rxd.toml", text)
        return try Configuration.load(directory: directory.path, identities: identities)
    }

    private func access(_ text: String) throws -> Access {
        try #require(try load(text).actions.first).access
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try load(text)
            return []
        } catch {
            let faults = (error as? ConfigurationErrors)?.faults ?? []
            return faults.map { String($0.description.replacing(directory.path + "/", with: "")) }
        }
    }

    // MARK: What is read

    @Test("no rights given is everyone for execute and subscribe, nobody for manage")
    func silent() throws {
        let expected = Access(execute: .everyone, subscribe: .everyone, manage: .only(users: [], groups: []))
        for text in ["", "[access]\n", "[access]\nexecute = \"all\"\nmanage = { users = [], groups = [] }\n"] {
            let configuration = try load(text + "[action.a]\nbuiltin = \"echo\"\n")
            #expect(configuration.access == expected)
            #expect(configuration.actions.map(\.access) == [expected])
        }
    }

    @Test("[access] is for every action without a word of its own")
    func section() throws {
        let configuration = try load(
            """
            [access]
            execute = { users = ["ann", 0, 4294967294], groups = ["deploy", 7] }
            manage = "all"
            [action.a]
            builtin = "echo"
            [action.b]
            builtin = "echo"
            allow = { subscribe = { users = [] } }
            """)
        let execute = Access.Grant.only(users: [1001, 0, 4_294_967_294], groups: [2001, 7])
        let general = Access(execute: execute, subscribe: .everyone, manage: .everyone)
        #expect(configuration.access == general)
        #expect(configuration.actions[0].access == general)
        #expect(configuration.actions[1].access == Access(execute: execute, subscribe: .nobody, manage: .everyone))
    }

    @Test("users and groups alone are for execute and subscribe; manage stays as [access] has it")
    func short() throws {
        let people = Access.Grant.only(users: [1001], groups: [2001])
        let action = "[action.a]\nbuiltin = \"echo\"\nallow = { users = [\"ann\"], groups = [\"deploy\"] }\n"
        #expect(try access(action) == Access(execute: people, subscribe: people, manage: .nobody))
        #expect(
            try access("[access]\nmanage = { users = [\"bob\"] }\n" + action)
                == Access(execute: people, subscribe: people, manage: .only(users: [1002], groups: [])))
        let groups = Access.Grant.only(users: [], groups: [2001])
        #expect(
            try access("[action.a]\nbuiltin = \"echo\"\nallow = { groups = [\"deploy\"] }\n")
                == Access(execute: groups, subscribe: groups))
    }

    @Test("each operation can be given apart, and \"all\" is everyone whatever [access] grants")
    func long() throws {
        #expect(
            try access(
                """
                [action.a]
                builtin = "echo"
                [action.a.allow]
                execute = { groups = ["deploy"] }
                subscribe = "all"
                manage = { users = ["ann"] }
                """)
                == Access(
                    execute: .only(users: [], groups: [2001]), subscribe: .everyone,
                    manage: .only(users: [1001], groups: [])))
        #expect(
            try access(
                """
                [access]
                execute = { users = [] }
                subscribe = { users = [] }
                [action.a]
                builtin = "echo"
                allow = "all"
                """) == Access())
    }

    @Test("another access is another definition, however it came about")
    func fingerprint() throws {
        func fingerprint(_ text: String) throws -> String {
            try #require(try load(text).actions.first).fingerprint
        }
        let plain = try fingerprint("[action.a]\nbuiltin = \"echo\"\n")
        #expect(try fingerprint("[action.a]\nbuiltin = \"echo\"\nallow = \"all\"\n") == plain)
        let others = try [
            "[access]\nexecute = { users = [] }\n[action.a]\nbuiltin = \"echo\"\n",
            "[access]\nsubscribe = { users = [] }\n[action.a]\nbuiltin = \"echo\"\n",
            "[access]\nmanage = \"all\"\n[action.a]\nbuiltin = \"echo\"\n",
            "[action.a]\nbuiltin = \"echo\"\nallow = { users = [7] }\n",
            "[action.a]\nbuiltin = \"echo\"\nallow = { groups = [7] }\n",
        ].map(fingerprint)
        #expect(Set(others + [plain]).count == others.count + 1)
        let one = try fingerprint("[action.a]\nbuiltin = \"echo\"\nallow = { users = [9, 8, 7, \"ann\"] }\n")
        let same = try fingerprint("[action.a]\nbuiltin = \"echo\"\nallow = { users = [1001, 7, 8, 9, 7] }\n")
        #expect(one == same)
    }

    // MARK: What is refused

    @Test("what cannot be meant is refused with file, line and key")
    func refused() {
        #expect(
            faults(
                """
                [access]
                execute = "everyone"
                subscribe = ["ann"]
                manage = { user = ["ann"] }
                groups = ["deploy"]
                [defaults]
                allow = "all"
                [action.a]
                builtin = "echo"
                allow = "ann"
                [action.b]
                builtin = "echo"
                allow = 7
                [action.c]
                builtin = "echo"
                allow = {}
                [action.d]
                builtin = "echo"
                allow = { users = "ann" }
                [action.e]
                builtin = "echo"
                allow = { groups = ["deploy"], execute = "all" }
                [action.f]
                builtin = "echo"
                allow = { group = ["deploy"] }
                """) == [
                    #"rxd.toml:2: access.execute: must be "all" or a table { users, groups }, not "everyone""#,
                    "rxd.toml:3: access.subscribe: must be \"all\" or a table { users, groups }, not an array",
                    #"rxd.toml:4: access.manage.user: unknown key; did you mean "users"?"#,
                    "rxd.toml:5: access.groups: unknown key; put it into execute, subscribe, or manage",
                    "rxd.toml:7: defaults.allow: is a key of actions; for all of them, use [access]",
                    #"rxd.toml:10: action.a.allow: must be "all" or a table such as { groups = ["deploy"] }, "#
                        + #"not "ann""#,
                    #"rxd.toml:13: action.b.allow: must be "all" or a table such as { groups = ["deploy"] }, "#
                        + #"not an integer"#,
                    "rxd.toml:16: action.c.allow: is empty; name users or groups, or execute, subscribe, or manage",
                    "rxd.toml:19: action.d.allow.users: must be an array of names or ids, not a string",
                    "rxd.toml:22: action.e.allow: put users and groups into execute, subscribe, or manage if one of "
                        + "these is present",
                    #"rxd.toml:25: action.f.allow.group: unknown key; did you mean "groups"?"#,
                ])
    }

    @Test("who is not known here is refused by name, each of them")
    func unknown() {
        #expect(
            faults(
                """
                [access]
                manage = { users = ["ann", "nobody-such", "1001", "broken", -1, 4294967295, 1.5], groups = ["ann"] }
                """) == [
                    #"rxd.toml:2: access.manage.groups[0]: no such group: "ann""#,
                    #"rxd.toml:2: access.manage.users[1]: no such user: "nobody-such""#,
                    #"rxd.toml:2: access.manage.users[2]: no such user: "1001"; write a uid without quotes"#,
                    #"rxd.toml:2: access.manage.users[3]: user "broken" cannot be looked up: "#
                        + #"\#(SystemErrorName.text(of: 5))"#,
                    "rxd.toml:2: access.manage.users[4]: is not a valid uid: these are from 0 to 4294967294",
                    "rxd.toml:2: access.manage.users[5]: is not a valid uid: these are from 0 to 4294967294",
                    "rxd.toml:2: access.manage.users[6]: must be the name of a user or a uid, not a float",
                ])
    }

    @Test("who is hidden by a user namespace is refused, with what to do about it")
    mutating func hidden() throws {
        let text = """
            [access]
            execute = { users = [0, 1001, "bob"], groups = ["deploy", 2002] }
            """
        #expect(faults(text) == [])
        // As PrivateUsers=yes has it.
        identities.users = try #require(NamespaceMap("0 0 1\n1001 1001 1\n"))
        identities.groups = try #require(NamespaceMap("0 0 1\n2002 2002 1\n"))
        let end =
            "is hidden by the user namespace that rxd runs in, which shows such clients as 65534: run it without "
            + "(PrivateUsers=no), or leave this out"
        #expect(
            faults(text) == [
                "rxd.toml:2: access.execute.groups[0]: group deploy (gid 2001) \(end)",
                "rxd.toml:2: access.execute.users[2]: user bob (uid 1002) \(end)",
            ])
        #expect(faults("[access]\nexecute = \"all\"\n") == [])
    }

    @Test("a daemon whose own user looks like every hidden one is refused: they would all be its owner")
    mutating func hiddenOwner() throws {
        identities.own = 65_534
        #expect(faults("") == [])
        identities.users = try #require(NamespaceMap("0 0 1\n"))
        #expect(faults("").count == 1 && faults("")[0].contains("rxd runs as uid 65534"))
        identities.own = 0
        #expect(faults("") == [])
    }

    // MARK: The machine's own

    @Test("root is known on every machine, as a user and as a group; nobody has a name with a space")
    func system() {
        let system = Identities.system
        #expect(system.find(.user, "root") == .id(0))
        #expect(system.find(.group, "root") == .id(0))
        #expect(system.find(.user, "no such name") == .unknown)
        #expect(system.find(.group, "no such name") == .unknown)
    }
}
