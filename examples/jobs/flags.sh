# Follow (the flags first, then each change), set, read, and who set them when.
rxctl state flags --follow &
rxctl dispatch flags dark:=true
rxctl state flags --path /dark
rxctl history flags
