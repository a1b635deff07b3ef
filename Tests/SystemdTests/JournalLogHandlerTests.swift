import Glibc
import Logging
import TestSupport
import Testing

@testable import Systemd

@Suite("JournalLogHandler", .ownThreads)
struct JournalLogHandlerTests {
    let journal = DatagramReceiver()

    func makeLogger(metadataProvider: Logger.MetadataProvider? = nil) throws -> Logger {
        let destination = LogDestination(
            journal: JournalSocket(path: journal.path), standardError: StandardError(showsPriority: false)
        )
        var handler = JournalLogHandler(label: "host", identifier: "rxd", destination: destination)
        handler.metadataProvider = metadataProvider
        return Logger(label: "host") { _ in handler }
    }

    func nextFields() throws -> Set<Substring> {
        Set(try #require(journal.nextText()).split(separator: "\n"))
    }

    @Test("a record has message, priority, place and metadata as fields")
    func fields() throws {
        let logger = try makeLogger()
        let line = #line + 1
        logger.warning("slow", metadata: ["action": "deploy", "execution": "01J", "peer-uid": "\(1000)"])
        let fields = try nextFields()
        let expected: Set<Substring> = [
            "MESSAGE=slow", "PRIORITY=4", "SYSLOG_IDENTIFIER=rxd", "CODE_FUNC=fields()", "RXD_LOGGER=host",
            "RXD_ACTION=deploy", "RXD_EXECUTION=01J", "RXD_PEER_UID=1000",
            "CODE_FILE=SystemdTests/JournalLogHandlerTests.swift", "CODE_LINE=\(line)",
        ]
        #expect(fields == expected)
    }

    @Test("a message id becomes MESSAGE_ID, and what is none an ordinary field")
    func messageID() throws {
        let logger = try makeLogger()
        logger.info("a", metadata: ["message-id": "39F53479-D3A0-45AC-8E11-786248231FBF"])
        logger.info("b", metadata: ["message-id": "started"])
        #expect(try nextFields().contains("MESSAGE_ID=39f53479d3a045ac8e11786248231fbf"))
        let second = try nextFields()
        #expect(second.contains("RXD_MESSAGE_ID=started"))
        #expect(!second.contains { $0.hasPrefix("MESSAGE_ID=") })
    }

    @Test("the metadata closest to the call wins")
    func precedence() throws {
        var logger = try makeLogger(metadataProvider: .init { ["action": "provider", "execution": "provider"] })
        logger[metadataKey: "action"] = "logger"
        logger[metadataKey: "kind"] = "logger"
        logger.info("x", metadata: ["execution": "call"])
        let fields = try nextFields()
        #expect(fields.isSuperset(of: ["RXD_ACTION=provider", "RXD_EXECUTION=call", "RXD_KIND=logger"]))
    }

    @Test("an error is a field")
    func error() throws {
        struct Broken: Error, CustomStringConvertible { let description = "out of paper" }
        try makeLogger().error("x", error: Broken())
        #expect(try nextFields().contains("RXD_ERROR=out of paper"))
    }

    @Test("metadata cannot forge a field of the record")
    func forgery() throws {
        try makeLogger().info("x\nPRIORITY=0", metadata: ["action": "a\nMESSAGE=forged"])
        let bytes = try #require(journal.next())
        var message = JournalRecord()
        message.append("MESSAGE", "x\nPRIORITY=0")
        #expect(bytes.starts(with: message.bytes))
        var action = JournalRecord()
        action.append("RXD_ACTION", "a\nMESSAGE=forged")
        let found = bytes.indices.contains { bytes[$0...].starts(with: action.bytes) }
        #expect(found)
    }

    @Test(
        "swift-log's levels are syslog's priorities",
        arguments: zip(
            [Logger.Level.trace, .debug, .info, .notice, .warning, .error, .critical], [7, 7, 6, 5, 4, 3, 2]))
    func priorities(level: Logger.Level, priority: Int) {
        #expect(level.priority == priority)
    }

    @Test("without a journal a record is one line with its fields in order")
    func standardErrorLine() {
        let pipe = StandardErrorTests.Pipe()
        let destination = LogDestination(
            journal: nil, standardError: StandardError(fileDescriptor: pipe.writing, showsPriority: true))
        let handler = JournalLogHandler(label: "host", identifier: "rxd", destination: destination)
        let logger = Logger(label: "host") { _ in handler }
        logger.error("it\nbroke", metadata: ["execution": "01J", "action": "a b", "message-id": "x"])
        #expect(pipe.read() == #"<3>rxd: error: it\nbroke action="a b" execution=01J"# + "\n")
        pipe.close()
    }

    @Test("when the journal goes away, records go to standard error")
    func fallsBack() throws {
        let pipe = StandardErrorTests.Pipe()
        var gone: DatagramReceiver? = DatagramReceiver()
        let path = try #require(gone).path
        let destination = LogDestination(
            journal: JournalSocket(path: path),
            standardError: StandardError(fileDescriptor: pipe.writing, showsPriority: false))
        let handler = JournalLogHandler(label: "host", identifier: "rxd", destination: destination)
        gone = nil
        Logger(label: "host") { _ in handler }.info("still here")
        #expect(pipe.read() == "rxd: info: still here\n")
        pipe.close()
    }
}
