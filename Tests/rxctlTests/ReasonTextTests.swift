import Glibc
import RxJSON
import Testing

@testable import rxctl

struct ReasonTextTests {
    private func sentence(_ reason: String) throws -> String {
        ReasonText.sentence(action: "deploy", enabled: false, reason: try RawJSON(validating: reason).value())
    }

    @Test("executing names the execution, since when, and its requester")
    func executing() throws {
        #expect(
            try sentence(
                #"{"cause":"executing","execution":"01ja","since":"2026-11-21T01:02:03.123Z","#
                    + #""by":{"uid":0,"gid":0,"pid":42}}"#
            )
                == "deploy is not enabled: executing 01ja since 2026-11-21T01:02:03.123Z, "
                + "requested by uid 0 (root), pid 42"
        )
        #expect(
            try sentence(
                #"{"cause":"executing","execution":"01ja","since":"T","by":{"uid":0},"inFlight":8,"limit":8}"#)
                == "deploy is not enabled: 8 of 8 in flight, the oldest 01ja since T")
        #expect(
            try sentence(#"{"cause":"executing","execution":"01ja","since":"T","by":{"stream":"nightly"}}"#)
                == "deploy is not enabled: executing 01ja since T, requested by the stream nightly")
    }

    @Test("switched off names the origin, the time, and the reason, if there is one")
    func manual() throws {
        let by = #""by":{"uid":4294967000,"gid":0,"pid":7},"since":"T""#
        #expect(
            try sentence(#"{"cause":"manual",\#(by),"reason":"the disk is full"}"#)
                == "deploy is not enabled: switched off since T by uid 4294967000, pid 7: the disk is full")
        #expect(
            try sentence(#"{"cause":"manual",\#(by),"reason":null}"#)
                == "deploy is not enabled: switched off since T by uid 4294967000, pid 7")
    }

    @Test("conditions, stopping, and causes of a newer daemon")
    func others() throws {
        #expect(
            try sentence(#"{"cause":"condition","value":false}"#)
                == "deploy is not enabled: its condition does not hold")
        #expect(
            try sentence(#"{"cause":"condition","value":false,"error":"jq: boom"}"#)
                == "deploy is not enabled: its condition failed: jq: boom")
        #expect(try sentence(#"{"cause":"stopping"}"#) == "deploy is not enabled: the daemon is stopping")
        #expect(
            try sentence(#"{"cause":"moon","phase":"full","n":2,"x":null}"#)
                == "deploy is not enabled: moon, phase full, n 2")
        #expect(try sentence("null") == "deploy is not enabled")
        #expect(ReasonText.sentence(action: "deploy", enabled: true, reason: .null) == "deploy is enabled")
    }

    @Test("a column has the user's name, else the number")
    func short() {
        #expect(Requester(by: ["uid": 0, "pid": 1]).short == "root")
        #expect(Requester(by: ["uid": 4_294_967_000]).short == "uid 4294967000")
        #expect(Requester(by: ["stream": "nightly"]).short == "stream nightly")
        #expect(Requester(by: .null).short == "")
        #expect(Requester(by: .null).full == "the daemon itself")
    }
}
