internal import RxJSON

/// The JSON Schema of an action on the task list.
enum TasksSchema {
    /// In characters: enough for one line and for a page.
    static let titleLength = 1000
    static let memoLength = 10_000

    static let actions: JSONSchema = {
        do throws(JSONSchemaError) {
            return try JSONSchema(RawJSON(unchecked: Array(text.utf8)))
        } catch {
            preconditionFailure("the schema of the task list is invalid: \(error)")
        }
    }()

    private static let text = """
        {"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":false,
        "definitions":{
          "id":{"type":"string","minLength":1},
          "title":{"type":"string","minLength":1,"maxLength":\(titleLength)},
          "memo":{"type":"string","maxLength":\(memoLength)}},
        "properties":{
          "create":{"type":"object","required":["title"],"additionalProperties":false,
            "properties":{"title":{"$ref":"#/definitions/title"},"memo":{"$ref":"#/definitions/memo"}}},
          "update":{"type":"object","required":["id"],"additionalProperties":false,
            "properties":{"id":{"$ref":"#/definitions/id"},
              "title":{"$ref":"#/definitions/title"},"memo":{"$ref":"#/definitions/memo"}}},
          "move":{"type":"object","required":["id","to"],"additionalProperties":false,
            "properties":{"id":{"$ref":"#/definitions/id"},"to":{"type":"integer","minimum":0}}},
          "done":{"$ref":"#/definitions/id"},
          "undone":{"$ref":"#/definitions/id"},
          "toggle":{"$ref":"#/definitions/id"},
          "delete":{"$ref":"#/definitions/id"}}}
        """
}
