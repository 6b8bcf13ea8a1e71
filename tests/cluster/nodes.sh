# Sourced by tests/cluster/run: a cluster on one machine. A node is a set of namespaces: it has its own host name, network
# interface, /dev/shm, System V memory and, but for node0, processes. A bridge joins the nodes. Who sources this is root, and
# the first process of a pid namespace, with network and mounts of its own (`unshare -n -m -p --fork --mount-proc`): with it
# all that it starts ends.

# in_node I COMMAND...
in_node() { local i=$1; shift; nsenter -t "${node_pids[i]}" -a --wd="$PWD" "$@"; }

# start_nodes COUNT FOLDER: fails where namespaces are not allowed. Nodes are node0, node1 ...; mpirun runs on node0.
start_nodes() {
  local count=$1 folder=$2 i try pid own
  node_pids=() nodes_folder=$folder
  mkdir -p "$folder"
  ip link show br0 >/dev/null 2>&1 || ip link add br0 type bridge && ip link set br0 up || return 1
  echo '127.0.0.1 localhost' >"$folder/hosts"
  for ((i = 0; i < count; ++i)); do echo "10.77.0.$((i + 1)) node$i" >>"$folder/hosts"; done
  for ((i = 0; i < count; ++i)); do
    # Only a descendant of a pid namespace can be entered from it, and the agent enters each node from node0.
    own=(-p --mount-proc)
    [ $i != 0 ] || own=()
    setsid unshare -n -u -m -i "${own[@]}" --fork --kill-child sleep 3600 </dev/null >/dev/null 2>&1 &
    disown
    pid=
    for try in {1..50}; do
      pid=$(pgrep -P $! -x sleep) && break
      sleep 0.1
    done
    [ -n "$pid" ] || return 1
    node_pids+=("$pid")
    echo "$pid" >"$folder/node$i"
    ip link add "port$i" type veth peer name eth0 netns "$pid" && ip link set "port$i" master br0 up &&
      in_node "$i" sh -c "hostname node$i && ip addr add 10.77.0.$((i + 1))/24 dev eth0 && ip link set eth0 up &&
        ip link set lo up && mount -t tmpfs -o size=1g tmpfs /dev/shm && mount --bind '$folder/hosts' /etc/hosts" || return 1
  done
  # What Open MPI calls in the place of ssh: HOST COMMAND... As ssh does, it takes longer to notice that a node has died than
  # Open MPI, which else says that the node was never there.
  printf '#!/bin/sh\nhost=$1; shift\nnsenter -t "$(cat "%s/$host")" -a /bin/sh -c "$*" || { sleep 3; exit 1; }\n' "$folder" \
    >"$folder/agent"
  chmod +x "$folder/agent"
}

# on_nodes ARGUMENT...: mpirun on node0, for instance with --host node0:2,node1:2 -n 4.
on_nodes() {
  in_node 0 env OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0 OMPI_MCA_plm_rsh_agent="$nodes_folder/agent" \
    OMPI_MCA_orte_tmpdir_base="$nodes_folder" OMPI_MCA_hwloc_base_binding_policy=none \
    timeout -k 5 120 mpirun -x OMPI_MCA_pml -x OMPI_MCA_btl -x OMPI_MCA_mpi_yield_when_idle "$@"
}

# For any node but node0. Signals go to all processes of the node but its first.
kill_node() { in_node "$1" sh -c 'kill -KILL -1'; }
freeze_node() { in_node "$1" sh -c 'kill -STOP -1'; }
cut_node() { ip link set "port$1" down; }
join_node() { ip link set "port$1" up; }

# Ends the nodes and all else that was started.
stop_nodes() {
  local i
  kill -KILL -1 2>/dev/null
  for i in "${!node_pids[@]}"; do ip link del "port$i" 2>/dev/null; done
  node_pids=()
}
