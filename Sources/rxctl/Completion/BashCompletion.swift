/// The argument parser's script for bash, and what it lacks.
enum BashCompletion {
    private static let mark = "#!/bin/bash"
    private static let registration = "complete -o filenames -F _rxctl rxctl"

    /// Leaves no space after `key=`, for the value comes there; any other text is returned as it is.
    static func script(_ text: String) -> String {
        guard text.hasPrefix(mark), let place = text.range(of: registration) else { return text }
        return text[..<place.lowerBound] + """
            _rxctl_without_space() {
                _rxctl "${@}"
                if [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = *= ]]; then
                    compopt -o nospace 2>/dev/null
                fi
            }

            complete -o filenames -F _rxctl_without_space rxctl
            """ + text[place.upperBound...]
    }
}

extension String {
    /// Foundation has one, and is not wanted for this.
    fileprivate func range(of part: String) -> Range<Index>? {
        ranges(of: part).first
    }
}
