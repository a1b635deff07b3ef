import RxRecords
import RxHost
import RxJSON
import Testing

@testable import RxServer

/// The users of the tests of rights: deploy is group 2001, operators 2002.
enum Someone: String, CaseIterable, Sendable {
    case root, owner, named, member, primary, operator_, outsider

    static let ownerID: UInt32 = 4000

    var peer: Peer {
        switch self {
        case .root: Peer(uid: 0, gid: 0, pid: 1, groups: [])
        case .owner: Peer(uid: Self.ownerID, gid: 4000, pid: 2, groups: [])
        case .named: Peer(uid: 1001, gid: 1001, pid: 3, groups: [])
        case .member: Peer(uid: 1002, gid: 1002, pid: 4, groups: [1002, 2001])
        case .primary: Peer(uid: 1003, gid: 2001, pid: 5, groups: [])
        case .operator_: Peer(uid: 1004, gid: 1004, pid: 6, groups: [2002])
        // Their uid is the number of a group, and their groups are the numbers of users.
        case .outsider: Peer(uid: 2001, gid: 1001, pid: 7, groups: [1002, 0, 4000])
        }
    }

    var origin: Origin { peer.origin }
}

extension Access {
    /// execute: the user 1001 and the group 2001; subscribe: the group 2001; manage: the group 2002.
    static let guarded = Access(
        execute: .only(users: [1001], groups: [2001]), subscribe: .only(users: [], groups: [2001]),
        manage: .only(users: [], groups: [2002]))
}

@Suite("Rights")
struct RightsTests {
    private let rights = Rights(owner: Someone.ownerID)

    private func words(_ access: Access, _ someone: Someone) -> String {
        let allowed = rights.operations(under: access, to: someone.peer)
        return Rights.Operation.allCases.filter { allowed.contains($0) }.map(\.rawValue).joined(separator: " ")
    }

    @Test("are what access grants to a uid, a group or a supplementary group; all of it for owner and root")
    func matrix() {
        let all = "read subscribe execute manage"
        let expected: [(Someone, guarded: String, open: String, closed: String)] = [
            (.root, all, all, all),
            (.owner, all, all, all),
            (.named, "read execute", "read subscribe execute", ""),
            (.member, "read subscribe execute", "read subscribe execute", ""),
            (.primary, "read subscribe execute", "read subscribe execute", ""),
            (.operator_, "read manage", "read subscribe execute", ""),
            (.outsider, "", "read subscribe execute", ""),
        ]
        #expect(expected.map(\.0) == Someone.allCases)
        let closed = Access(execute: .nobody, subscribe: .nobody, manage: .nobody)
        for (someone, guarded, open, none) in expected {
            #expect(words(.guarded, someone) == guarded, "\(someone)")
            #expect(words(Access(), someone) == open, "\(someone)")
            #expect(words(closed, someone) == none, "\(someone)")
        }
        #expect(words(Access(execute: .nobody, subscribe: .nobody, manage: .everyone), .outsider) == "read manage")
    }

    @Test(
        "executions: visible to requesters and subscribers; canceled by requesters who may execute, and managers"
    )
    func executions() {
        func may(_ operation: Rights.ExecutionOperation, _ someone: Someone, _ origin: Origin, _ access: Access?)
            -> Bool
        {
            rights.allow(operation, onExecutionBy: origin, under: access, by: someone.peer)
        }
        let closed = Access(execute: .nobody, subscribe: .nobody, manage: .nobody)
        for someone in Someone.allCases {
            let isMaster = someone == .root || someone == .owner
            let subscribes = isMaster || someone == .member || someone == .primary
            let executes = subscribes || someone == .named
            let manages = isMaster || someone == .operator_
            for origin in [
                Origin.stream("t"), .host, .peer(uid: 77, gid: 2001, pid: someone.peer.pid),
                .rule(reactor: "mode", rule: 0), .other(["uid": JSONValue(Int(someone.peer.uid))]),
            ] {
                #expect(may(.read, someone, origin, .guarded) == subscribes, "\(someone)")
                #expect(may(.cancel, someone, origin, .guarded) == manages, "\(someone)")
                #expect(
                    may(.read, someone, origin, closed) == isMaster && may(.cancel, someone, origin, closed) == isMaster
                )
                #expect(may(.read, someone, origin, nil) == isMaster && may(.cancel, someone, origin, nil) == isMaster)
                // Managing and executing is not seeing, executing and seeing is not canceling.
                #expect(may(.cancel, someone, origin, Access()) == isMaster)
            }
            #expect(may(.read, someone, someone.origin, .guarded), "own, \(someone)")
            #expect(may(.cancel, someone, someone.origin, .guarded) == (executes || manages), "own, \(someone)")
            // The right to execute has been taken away since.
            #expect(may(.read, someone, someone.origin, closed))
            #expect(may(.cancel, someone, someone.origin, closed) == isMaster)
            #expect(may(.read, someone, someone.origin, nil))
        }
    }

    @Test("on the server itself: everyone may read its status, managers manage it, and that can change")
    func server() {
        for someone in Someone.allCases {
            let isMaster = someone == .root || someone == .owner
            #expect(rights.allow(.read, on: nil, by: someone.peer))
            #expect(rights.allow(.manage, on: nil, by: someone.peer) == isMaster)
        }
        let others = Rights(owner: Someone.ownerID, server: .guarded)
        #expect(others.allow(.manage, on: nil, by: Someone.operator_.peer))
        #expect(!others.allow(.manage, on: nil, by: Someone.member.peer))
        others.set(server: Access())
        #expect(!others.allow(.manage, on: nil, by: Someone.operator_.peer))
    }
}
