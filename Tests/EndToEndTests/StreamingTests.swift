import Glibc
import TestSupport
import Testing

@Suite(.ownThreads(limit: .seconds(120)))
struct StreamingTests {
    @Test("elements are printed as they come, not at the end")
    func live() async throws {
        try await withDaemon { sandbox, _ in
            let execution = try await sandbox.startRxctl("execute", "ticks", #"{"interval":"50ms"}"#)
            try await eventually("two ticks are there") { execution.lines.count >= 2 }
            #expect(execution.lines.prefix(2) == ["0", "1"])
            execution.signal(SIGINT)
            _ = try await execution.result()
        }
    }

    @Test("head -1 gets its line, and both ends finish at once")
    func headOne() async throws {
        try await withDaemon { sandbox, _ in
            let three = try await sandbox.shell(
                #""$rxctl" execute ticks '{"count":3,"interval":"100ms"}' | head -1; echo "${PIPESTATUS[*]}""#)
            // On a busy machine the three may be over before head is.
            #expect(["0\n141 0\n", "0\n0 0\n"].contains(three.output))
            // A minute's worth of ticks, so that finishing in time shows that nobody waited for them.
            let many = try await sandbox.shell(
                #""$rxctl" execute ticks '{"count":600,"interval":"100ms"}' | head -1; echo "${PIPESTATUS[*]}""#)
            #expect(many.output == "0\n141 0\n")
            try await eventually("the execution is withdrawn") {
                try await sandbox.rxctl("describe", "ticks").output.contains(#""executing":false"#)
            }
        }
    }

    @Test("a subscriber sees elements, errors and levels as records, in order")
    func records() async throws {
        try await withDaemon { sandbox, _ in
            let subscription = try await sandbox.startRxctl("subscribe", "echo", "fail", "--snapshot")
            try await eventually("it is subscribed") { subscription.lines.count == 1 }
            #expect(subscription.lines[0].contains(#""snapshot":{"actions":{"echo":"#))
            #expect(try await sandbox.rxctl("execute", "echo", #"{"a":1}"#).status == 0)
            #expect(try await sandbox.rxctl("execute", "fail", "message=nope").status == 1)
            try await eventually("the error is there") { subscription.output.contains(#""channel":"errors""#) }
            subscription.signal(SIGINT)
            let lines = try await subscription.result().lines.dropFirst()
            let element = try #require(lines.first { $0.contains(#""channel":"elements""#) })
            #expect(element.contains(#""action":"echo""#))
            #expect(element.contains(#""value":{"a":1}"#))
            #expect(!element.contains("subscription"))
            let error = try #require(lines.first { $0.contains(#""channel":"errors""#) })
            #expect(error.contains(#""message":"nope""#))
            for (index, line) in lines.enumerated() {
                #expect(line.hasPrefix(#"{"seq":\#(index + 1),"#))
            }
        }
    }

    @Test("--values and --count print that many values and leave")
    func values() async throws {
        try await withDaemon { sandbox, _ in
            let subscription = try await sandbox.startRxctl(
                "subscribe", "ticks", "--channel", "elements", "--values", "--count", "3")
            try await eventually("it is subscribed") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":1"#)
            }
            #expect(try await sandbox.rxctl("execute", "ticks", #"{"count":5,"interval":"5ms"}"#).status == 0)
            let result = try await subscription.result()
            #expect(result.status == 0)
            #expect(result.lines == ["0", "1", "2"])
        }
    }

    @Test("two subscribers get everything while a third never reads")
    func stalledReader() async throws {
        try await withSandbox { sandbox in
            // Three megabytes: more than the kernel and the daemon keep for the one that does not read. They come as
            // the others read them, however busy the machine is.
            sandbox.configure(
                """
                [action.flood]
                run = ["/bin/bash", "-c", '''
                printf -v x '%020000d' 0
                for i in {1..150}; do
                  until [ "$i" -le "$(<$0/allowed)" ]; do sleep 0.01; done
                  echo $i-$x
                done
                ''', "\(sandbox.directory)"]
                """, file: "conf.d/flood.toml")
            func allow(_ count: Int) {
                Files.write("\(count)\n", to: "\(sandbox.directory)/allowed.new")
                rename("\(sandbox.directory)/allowed.new", "\(sandbox.directory)/allowed")
            }
            allow(0)
            let daemon = try await sandbox.startDaemon()
            let readers = [
                try await sandbox.startRxctl("subscribe", "flood", "--channel", "elements", "--values"),
                try await sandbox.startRxctl("subscribe", "flood", "--channel", "elements", "--values"),
            ]
            let stalled = try RawSocket(path: sandbox.socket)
            stalled.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"flood"}}"# + "\n")
            try await eventually("all three are subscribed") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":3"#)
            }
            let requester = try await sandbox.startRxctl("execute", "flood")
            for count in stride(from: 10, through: 150, by: 10) {
                allow(count)
                for reader in readers {
                    try await eventually("a reader has \(count) of it") { reader.lines.count >= count }
                }
            }
            let execution = try await requester.result()
            #expect(execution.status == 0)
            #expect(execution.lines.count == 150)
            for reader in readers {
                #expect(reader.lines == execution.lines)
                reader.signal(SIGINT)
                let result = try await reader.result()
                #expect(result.error == "", "nothing was lost")
            }
            let status = try await sandbox.rxctl("status")
            let queued = try #require(status.output.firstMatch(of: /"queuedBytes":([0-9]+)/))
            #expect(try #require(Int(queued.1)) <= 2 << 20)
            stalled.close()
            try await eventually("the stalled reader is gone") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":0"#)
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a slow reader of stdout loses nothing and can still be interrupted")
    func slowPipe() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.lots]
                run = ["/bin/bash", "-c", "printf -v x '%020000d' 0; for i in {1..40}; do echo $i-$x; done"]
                """, file: "conf.d/lots.toml")
            let daemon = try await sandbox.startDaemon()
            let result = try await sandbox.shell(
                #""$rxctl" execute lots --raw | { sleep 1; cut -d- -f1; }; echo "${PIPESTATUS[0]}""#)
            #expect(result.lines == (1...40).map(String.init) + ["0"])
            // Nobody reads: stdout is full, and Ctrl-C works all the same.
            let interrupted = try await sandbox.shell(
                #"""
                mkfifo "$RXD_SOCKET.fifo"; sleep 300 < "$RXD_SOCKET.fifo" & reader=$!
                "$rxctl" execute lots > "$RXD_SOCKET.fifo" & client=$!
                # The client has got as far as its request.
                until [ "$("$rxctl" history lots | wc -l)" = 2 ]; do sleep 0.02; done
                sleep 0.5
                # The second signal leaves at once. Those that arrive together count as one.
                while kill -TERM $client 2>/dev/null && ! grep -qs '^State:.Z' /proc/$client/status; do sleep 0.2; done
                wait $client; echo $?
                kill $reader
                """#)
            #expect(interrupted.output == "130\n")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a reader slower than the work that it requested loses nothing")
    func slowRequester() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.lines]\nrun = [\"seq\", \"1\", \"30000\"]\n")
            let daemon = try await sandbox.startDaemon()
            // The reader begins when the daemon has had time to produce all of it.
            let result = try await sandbox.shell(
                #""$rxctl" execute --raw lines | (sleep 0.5; cmp - <(seq 1 30000) && echo same)"#)
            #expect(result.output == "same\n")
            #expect(result.error == "")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
