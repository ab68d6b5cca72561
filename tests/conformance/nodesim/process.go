package main

import (
	"os"
	"os/exec"
	"syscall"
)

// What a container runtime reports for a program that could not be started.
const notStarted = 128

// process is one program of a container. Safe for use by several goroutines.
type process struct {
	running *os.Process
	done    chan struct{} // closed when it has ended
	code    int32         // its exit code, once it has
}

// startProcess runs the command with its output in the file `log`, and calls `ended` once it is over, which may be at once.
func startProcess(command *exec.Cmd, log string, ended func()) *process {
	p := &process{done: make(chan struct{})}
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		defer out.Close()
		command.Stdout, command.Stderr = out, out
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // none outlives the simulator
		err = command.Start()
	}
	if err != nil {
		if out != nil {
			out.WriteString(err.Error() + "\n")
		}
		p.code = notStarted
		close(p.done)
		go ended()
		return p
	}
	p.running = command.Process
	go func() {
		command.Wait() // what went wrong is in the exit code
		p.code = int32(command.ProcessState.ExitCode())
		if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			p.code = notStarted + int32(status.Signal())
		}
		close(p.done)
		ended()
	}()
	return p
}

// ended gives the exit code if the process is over.
func (p *process) ended() (code int32, over bool) {
	select {
	case <-p.done:
		return p.code, true
	default:
		return 0, false
	}
}

// terminate asks it to end.
func (p *process) terminate() {
	if p.running != nil {
		p.running.Signal(syscall.SIGTERM)
	}
}

// kill ends it and waits until it has.
func (p *process) kill() {
	if p.running != nil {
		p.running.Kill()
	}
	<-p.done
}
