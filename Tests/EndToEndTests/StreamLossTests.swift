import Glibc
import RxJSON
import TestSupport
import Testing

/// What a stream reports of elements that its source may have lost.
@Suite(.ownThreads(limit: .seconds(120)))
struct StreamLossTests {
    @Test("after a kill, it reports that elements of interrupted executions may be missing, and counts none")
    func interrupted() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.visit]
                run = ["/bin/sh", "-c", "sleep 300 & wait"]
                [action.counted]
                builtin = "echo"
                on = { action = "visit", persist = true }

                """)
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "visit", "--detach").status == 0)
            try await eventually("it executes") {
                try await sandbox.rxctl("list", "--json").values().contains { $0["executing"] == true }
            }
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            unlink(sandbox.socket)

            let next = try await sandbox.startDaemon()
            let warning = "stream counted@1: elements may be missing: "
            try await eventually("it is reported") { next.error.contains(warning) }
            #expect(!next.error.contains("dropped"), "\(next.error)")
            let found = try await sandbox.rxctl("call", "stream.describe", #"{"stream":"counted@1"}"#).values().first
            #expect(found?["lost"] == 0, "\(RawJSON(found ?? .null))")
            let lags = try await sandbox.rxctl(
                "subscribe", "counted@1", "--channel", "lag", "--from", "start", "--count", "1")
            #expect(try lags.values().first?["value"]?["dropped"] == .null, "\(lags.output) \(lags.error)")
            try await sandbox.stopCleanly(next)
        }
    }
}
