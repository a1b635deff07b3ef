internal import RxConfiguration
internal import RxJSON
internal import RxProtocol
internal import RxStreams

/// What `rxd --describe` prints and the manual pages are made from, so that they need neither a daemon nor a
/// configuration.
package enum Description {
    /// `{"tables","streams","errors","protocol"}`: the tables of the configuration with their keys (`KeyTable`), the
    /// sources and operators (`ReferenceJSON`), the errors as `{"code","name","meaning"}`, and the OpenRPC document.
    package static var text: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("tables") { writer in
                for table in KeyTable.values { writer.raw(table) }
            }
            writer.array("streams") { writer in
                for row in ReferenceJSON.values { writer.raw(row) }
            }
            writer.array("errors") { writer in
                for code in ErrorCode.allCases {
                    writer.object { writer in
                        writer.field("code", code.rawValue)
                        writer.field("name", code.name)
                        writer.field("meaning", code.meaning)
                    }
                }
            }
            writer.field("protocol", OpenRPC.document)
        }
        return RawJSON(unchecked: writer.bytes).text
    }
}
