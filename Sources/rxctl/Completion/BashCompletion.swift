/// The argument parser's script for bash, adapted to words that are not file names.
enum BashCompletion {
    private static let mark = "#!/bin/bash"
    private static let registration = "complete -o filenames -F _rxctl rxctl"

    /// The script without a space after `key=`, where the value follows, and with candidates quoted only where the
    /// shell needs it: as a file name, `env=prod` would become `env\=prod`. Any other text is returned unchanged.
    static func script(_ text: String) -> String {
        guard text.hasPrefix(mark), let place = text.ranges(of: registration).first else { return text }
        return text[..<place.lowerBound] + #"""
            _rxctl_words() {
                _rxctl "${@}"
                case "${3}" in
                -s|--socket|--cursor-file)
                    compopt -o filenames 2>/dev/null
                    return
                    ;;
                esac
                local -i index
                for index in "${!COMPREPLY[@]}"; do
                    printf -v "COMPREPLY[${index}]" %q "${COMPREPLY[${index}]}"
                done
                if [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = *= ]]; then
                    compopt -o nospace 2>/dev/null
                fi
            }

            complete -F _rxctl_words rxctl
            """# + text[place.upperBound...]
    }
}
