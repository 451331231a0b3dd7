// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"syscall"
)

// What is to be measured, and where the result goes.
const (
	measuredVariable = "BENCH_MEASURED"
	usageVariable    = "BENCH_USAGE"
)

// measure runs a provider in its own place, and notes how much memory it took.
func measure(provider string) {
	command := exec.Command(provider, os.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	failed := command.Run()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		f, err := os.OpenFile(os.Getenv(usageVariable), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := fmt.Fprintf(f, "%.1f\n", float64(usage.Maxrss)/1024); err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
	if failed != nil {
		log.Fatal(failed)
	}
}
