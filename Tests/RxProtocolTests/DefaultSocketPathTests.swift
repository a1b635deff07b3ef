import RxProtocol
import Testing

struct DefaultSocketPathTests {
    private func client(_ environment: [String: String], existing: [String] = []) -> String {
        DefaultSocketPath.forClient(environment: { environment[$0] }, exists: existing.contains)
    }

    @Test("a client takes RXD_SOCKET, then the user's socket if it exists, then the system's")
    func clients() {
        let all = ["RXD_SOCKET": "/env.sock", "XDG_RUNTIME_DIR": "/run/user/1"]
        #expect(client(all, existing: ["/run/user/1/rxd/rxd.sock"]) == "/env.sock")
        let user = ["XDG_RUNTIME_DIR": "/run/user/1"]
        #expect(client(user, existing: ["/run/user/1/rxd/rxd.sock"]) == "/run/user/1/rxd/rxd.sock")
        #expect(client(user) == "/run/rxd/rxd.sock")
        #expect(client(["RXD_SOCKET": "", "XDG_RUNTIME_DIR": ""], existing: ["/rxd/rxd.sock"]) == "/run/rxd/rxd.sock")
    }

    @Test("a daemon makes the user's socket if there is a runtime directory; RXD_SOCKET is for clients")
    func daemons() {
        func daemon(_ environment: [String: String]) -> String {
            DefaultSocketPath.forDaemon { environment[$0] }
        }
        #expect(daemon(["XDG_RUNTIME_DIR": "/run/user/1", "RXD_SOCKET": "/env.sock"]) == "/run/user/1/rxd/rxd.sock")
        #expect(daemon(["RXD_SOCKET": "/env.sock"]) == "/run/rxd/rxd.sock")
        #expect(daemon(["XDG_RUNTIME_DIR": ""]) == "/run/rxd/rxd.sock")
        #expect(daemon(["XDG_RUNTIME_DIR": "run/user/1"]) == "/run/rxd/rxd.sock", "a relative path counts for nothing")
    }
}
