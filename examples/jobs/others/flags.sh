# A file for each flag, in a repository of git: follow, set (no reader sees half a file), read, and who set them when.
cd /srv/flags
watchexec 'head *' &
flock .git sh -c 'echo true >.dark; mv .dark dark; git add .; git commit -m dark'
cat dark
git log -p
