import RxJSON
import Testing

@testable import rxctl

struct CausesTextTests {
    private func record(_ members: String) throws -> JSONValue {
        try RawJSON(validating: #"{"execution":"01ja","action":"release","state":"completed",\#(members)}"#).value()
    }

    private let user = #"{"uid":4294967000,"gid":0,"pid":42}"#

    @Test("one line for each cause, the nearest first, with those left out before the origin")
    func lines() throws {
        let record = try record(
            #""by":{"reactor":"deploys","rule":1},"causes":[{"reactor":"deploys","rule":1},"#
                + #"{"stream":"nightly"},\#(user)],"causesOmitted":3"#)
        #expect(
            CausesText.lines(of: record) == [
                "release 01ja completed", "  <- mutate[1] of the reactor deploys", "  <- the stream nightly",
                "  <- 3 more", "  <- uid 4294967000, pid 42",
            ])
        #expect(CausesText.facts(of: record)["causesOmitted"] == 3)
        #expect(CausesText.facts(of: record)["causes"]?.array?.count == 3)
    }

    @Test("an older daemon's record has the nearest cause only")
    func older() throws {
        let record = try record(#""by":\#(user)"#)
        #expect(CausesText.lines(of: record) == ["release 01ja completed", "  <- uid 4294967000, pid 42"])
        #expect(CausesText.facts(of: record)["causes"]?.array?.count == 1)
        #expect(CausesText.facts(of: record)["causesOmitted"] == nil)
    }

    @Test("what it waits for because of --after comes before its causes")
    func waits() throws {
        let record = try record(
            #""by":\#(user),"waitsFor":[{"execution":"01jb","action":"build","state":"executing"},"#
                + #"{"execution":"01jc","action":"build","state":"queued"}],"ifCompleted":true"#)
        #expect(
            CausesText.lines(of: record) == [
                "release 01ja completed", "  waits for the end of build 01jb executing, if it completes",
                "  waits for the end of build 01jc queued, if it completes", "  <- uid 4294967000, pid 42",
            ])
        #expect(CausesText.facts(of: record)["waitsFor"]?.array?.count == 2)
    }
}
