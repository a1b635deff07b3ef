public import RxJSON

/// All sources and operators as JSON, from their tables.
public enum ReferenceJSON {
    /// An object for each: `{"source":NAME,"value","element","level","summary","keys"}` or
    /// `{"operator":NAME,"family","value","summary","keys"}`, with `keys` an array of
    /// `{"key","value","required","default","summary"}`.
    public static var values: [RawJSON] { SourceTable.all.map(value) + OperatorTable.all.map(value) }

    private static func value(_ row: SourceDescription) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("source", row.name)
            writer.field("value", row.main.wanted)
            writer.field("element", row.element)
            writer.field("level", row.isLevel)
            writer.field("summary", row.summary)
            write(row.parameters, to: &writer)
        }
        return RawJSON(unchecked: writer.bytes)
    }

    private static func value(_ row: StreamOperator) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("operator", row.name)
            writer.field("family", row.family.rawValue)
            writer.field("value", row.main.wanted)
            writer.field("summary", row.summary)
            write(row.parameters, to: &writer)
        }
        return RawJSON(unchecked: writer.bytes)
    }

    private static func write(_ parameters: [Parameter], to writer: inout JSONWriter) {
        writer.array("keys") { writer in
            for parameter in parameters {
                writer.object { writer in
                    writer.field("key", parameter.name)
                    writer.field("value", parameter.wanted)
                    writer.field("required", parameter.isRequired)
                    if let standard = parameter.standard { writer.field("default", standard) }
                    writer.field("summary", parameter.summary)
                }
            }
        }
    }
}
