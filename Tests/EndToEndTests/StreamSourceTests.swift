import Glibc
import RxJSON
import TestSupport
import Testing

/// The sources of a daemon that need nothing but the machine. Those of systemd are in Tests/service.
@Suite(.ownThreads(limit: .seconds(180)))
struct StreamSourceTests {
    /// The first value of a stream since the daemon has started.
    private func first(_ stream: String, _ sandbox: Sandbox) async throws -> JSONValue {
        let words = ["subscribe", stream, "--channel", "elements", "--values", "--from", "start", "--count", "1"]
        return try #require(try await sandbox.rxctl(words).values().first, "\(stream)")
    }

    /// A whole second some seconds from now, in UTC.
    private static func time(in seconds: Int) -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var time = time_t(now.tv_sec + seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test("schedules emit slots at their times")
    func schedules() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [stream.every]
                every = "1s"
                [stream.calendar]
                calendar = "*:*:*"
                [stream.cron]
                cron = "* * * * * *"
                [stream.start]
                start = true
                [action.after]
                run = ["true"]
                on  = { after = "100ms" }

                """)
            let daemon = try await sandbox.startDaemon()
            #expect(try await first("start", sandbox) == ["stopped": nil])
            for stream in ["every", "calendar", "cron"] {
                let slot = try await first(stream, sandbox)["scheduled"]?.string
                #expect(slot?.hasSuffix(".000Z") == true, "\(stream): \(slot ?? "")")
            }
            // Far enough for a busy machine to read it, and near enough to be waited for.
            let at = Self.time(in: 10)
            sandbox.configure("[stream.at]\nat = \"\(at)\"\n", file: "conf.d/at.toml")
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await first("at", sandbox)["scheduled"]?.string == at.replacing("Z", with: ".000Z"))
            try await eventually("it is executed again after its end") {
                try await sandbox.history("after").count >= 2
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("files, programs, and signals are emitted")
    func machine() async throws {
        try await withSandbox { sandbox in
            let (folder, log) = (sandbox.directory + "/folder", sandbox.directory + "/log")
            mkdir(folder, 0o700)
            sandbox.configure(
                """
                [stream.path]
                path = "\(folder)"
                [stream.lines]
                lines = "\(log)"
                [stream.program]
                program = ["sh", "-c", "echo '{\\"n\\":1}'; exec sleep 1000"]
                output = "json"
                [stream.signal]
                signal = "USR1"

                """)
            let daemon = try await sandbox.startDaemon()
            #expect(try await first("program", sandbox) == ["n": 1])
            daemon.signal(SIGUSR1)
            #expect(try await first("signal", sandbox)["signal"] == "USR1")
            // The log is missing at first, and the folder is watched before its stream runs.
            #expect(try await sandbox.shell("echo one > \(log); echo x > \(folder)/a").status == 0)
            #expect(try await first("lines", sandbox) == ["line": "one", "path": .string(log)])
            let file = try await first("path", sandbox)
            #expect(file["path"]?.string == folder + "/a" && file["event"] == "written")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("what the daemon itself has is emitted, one by one and combined")
    func daemonItself() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                Sandbox.actions + """
                    [reactor.light]
                    initial = { on = false }
                    reduce  = '.state.on = .mutation | .state'
                    [stream.action]
                    action = "echo"
                    [stream.reactor]
                    reactor = "light"
                    pointer = "/on"
                    [stream.a]
                    subject = true
                    [stream.b]
                    subject = true
                    [stream.stream]
                    stream = "a"
                    [stream.merge]
                    merge = ["a", { stream = "b" }]
                    [stream.combineLatest]
                    combineLatest = { a = "a", b = "b" }
                    [stream.zip]
                    zip = { a = "a", b = "b" }

                    """)
            let daemon = try await sandbox.startDaemon()
            #expect(try await first("reactor", sandbox) == false)
            #expect(try await sandbox.rxctl("execute", "echo", "7").status == 0)
            let event = try await first("action", sandbox)
            #expect(event["action"] == "echo" && event["channel"] == "elements" && event["value"] == 7)
            for (stream, value) in [("a", "1"), ("b", "2")] {
                #expect(try await sandbox.rxctl("send", stream, value).status == 0)
            }
            #expect(try await first("stream", sandbox) == 1)
            #expect(try await first("merge", sandbox) == 1)
            #expect(try await first("combineLatest", sandbox) == ["a": 1, "b": 2])
            #expect(try await first("zip", sandbox) == ["a": 1, "b": 2])
            try await sandbox.stopCleanly(daemon)
        }
    }
}
