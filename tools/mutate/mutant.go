package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// mutant is one small change of one file. Like an entry of equivalent.txt it is
// known by its text, never by its place, so that it is found again when lines
// move.
type mutant struct {
	File     string // from the root of the module, with slashes
	Function string
	// Before and After are the line that changes, or the lines as one.
	Before, After string

	// again tells mutants apart that all the above is the same for.
	again int
	id    int // in its package, from 1
	line  int
}

// key is what results are kept under.
func (m mutant) key() string {
	return fmt.Sprintf("%s\n%s\n%s\n%s\n%d", m.File, m.Function, m.Before, m.After, m.again)
}

// String shows the mutant as an entry of equivalent.txt is written.
func (m mutant) String() string {
	return fmt.Sprintf("%s %s\n- %s\n+ %s", m.File, m.Function, m.Before, m.After)
}

// site is a piece of source that has mutants.
type site struct {
	node ast.Node
	// typ is the type of an expression, as the file writes it; "" for a
	// statement.
	typ string
	// simple says that the statement is the head of a loop or the like, where
	// no other statement fits.
	simple   bool
	variants []variant
}

// variant is what the piece is in one mutant.
type variant struct {
	id   int
	text string
}

// mutator finds the mutants of one file.
type mutator struct {
	file, source string
	fset         *token.FileSet
	info         *types.Info
	name         types.Qualifier // how the file names a package; "?" if it does not
	next         int             // id

	function string
	found    []mutant
	sites    []*site // a piece before what is in it
	count    map[mutant]int
}

func (m *mutator) mutate(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			m.function = nameOf(d)
			m.walk(d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					m.function = s.Names[0].Name
					m.walk(s)
				}
			}
		}
	}
}

// nameOf returns the name of a function, that of a method with its type.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + d.Name.Name
		}
	}
}

func (m *mutator) offset(p token.Pos) int { return m.fset.Position(p).Offset }

func (m *mutator) code(n ast.Node) string { return m.source[m.offset(n.Pos()):m.offset(n.End())] }

// replace adds the mutant in which a part of a piece reads differently.
func (m *mutator) replace(in *site, from, to token.Pos, text string) {
	if strings.Contains(in.typ, "?") {
		return
	}
	start, end := m.offset(from), m.offset(to)
	first := strings.LastIndexByte(m.source[:start], '\n') + 1
	last := len(m.source)
	if i := strings.IndexByte(m.source[end:], '\n'); i >= 0 {
		last = end + i
	}
	oneLine := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	found := mutant{
		File: m.file, Function: m.function,
		Before: oneLine(m.source[first:last]),
		After:  oneLine(m.source[first:start] + text + m.source[end:last]),
	}
	same := found
	found.again = m.count[same]
	m.count[same]++
	m.next++
	found.id, found.line = m.next, m.fset.Position(from).Line
	m.found = append(m.found, found)
	in.variants = append(in.variants, variant{found.id, m.source[m.offset(in.node.Pos()):start] + text + m.source[end:m.offset(in.node.End())]})
}

func (m *mutator) swap(in *site, text string) { m.replace(in, in.node.Pos(), in.node.End(), text) }

// operators is what each operator becomes.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*",
	token.INC: "--", token.DEC: "++",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=",
}

// functions is what each builtin function becomes.
var functions = map[string]string{"min": "max", "max": "min"}

// walk adds the mutants of everything below a node.
func (m *mutator) walk(top ast.Node) {
	conditions := map[ast.Node]bool{}
	simple := map[ast.Node]bool{}
	var around []*ast.FuncType
	var path []ast.Node
	ast.Inspect(top, func(n ast.Node) bool {
		if n == nil {
			switch path[len(path)-1].(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				around = around[:len(around)-1]
			}
			path = path[:len(path)-1]
			return true
		}
		s := &site{node: n, simple: simple[n]}
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok != token.VAR {
				return false
			}
		case *ast.ArrayType:
			return false // its length is a constant
		case *ast.FuncDecl:
			around = append(around, n.Type)
		case *ast.FuncLit:
			around = append(around, n.Type)
		case *ast.IfStmt:
			conditions[n.Cond], simple[n.Init] = true, true
		case *ast.ForStmt:
			conditions[n.Cond], simple[n.Init], simple[n.Post] = true, true, true
		case *ast.SwitchStmt:
			simple[n.Init] = true
			if n.Tag == nil {
				for _, c := range n.Body.List {
					if c, ok := c.(*ast.CaseClause); ok {
						for _, condition := range c.List {
							conditions[condition] = true
						}
					}
				}
			}
		case *ast.TypeSwitchStmt:
			simple[n.Init] = true
		case *ast.ReturnStmt:
			m.results(s, n, around[len(around)-1].Results)
		case ast.Stmt:
			m.statement(s, n)
		case ast.Expr:
			m.expression(s, n)
			if conditions[n] {
				m.negate(s, n)
			}
		}
		if len(s.variants) > 0 {
			m.sites = append(m.sites, s)
		}
		path = append(path, n)
		return true
	})
}

func (m *mutator) statement(s *site, n ast.Stmt) {
	switch n := n.(type) {
	case *ast.ExprStmt:
		// A function may end in a panic.
		if call, ok := n.X.(*ast.CallExpr); !ok || m.builtin(call) != "panic" {
			m.swap(s, "")
		}
	case *ast.DeferStmt, *ast.BranchStmt:
		m.swap(s, "")
	case *ast.IncDecStmt:
		m.replace(s, n.TokPos, n.TokPos+2, operators[n.Tok])
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			m.swap(s, "")
		}
		if other, ok := operators[n.Tok]; ok && is(m.info.TypeOf(n.Lhs[0]), types.IsNumeric) {
			m.replace(s, n.TokPos, n.TokPos+2, other)
		}
	}
}

func (m *mutator) expression(s *site, n ast.Expr) {
	t := m.info.TypeOf(n)
	if t == nil {
		return
	}
	s.typ = types.TypeString(types.Default(t), m.name)
	switch n := n.(type) {
	case *ast.BinaryExpr:
		other, ok := operators[n.Op]
		if !ok || n.Op == token.ADD && !is(t, types.IsNumeric) {
			return
		}
		m.replace(s, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
		if n.Op == token.LAND || n.Op == token.LOR {
			m.replace(s, n.X.Pos(), n.Y.Pos(), "")
			m.replace(s, n.X.End(), n.Y.End(), "")
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			m.replace(s, n.OpPos, n.X.Pos(), "")
		}
	case *ast.CallExpr:
		if other, ok := functions[m.builtin(n)]; ok {
			m.replace(s, n.Fun.Pos(), n.Fun.End(), other)
		}
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			m.swap(s, other)
		}
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			m.swap(s, strconv.Itoa(number+1))
			if number > 0 || !is(t, types.IsUnsigned) {
				m.swap(s, strconv.Itoa(number-1))
			}
		}
	}
}

// negate turns a condition round, unless another mutant does the same.
func (m *mutator) negate(s *site, condition ast.Expr) {
	switch c := condition.(type) {
	case *ast.BinaryExpr:
		if c.Op == token.EQL || c.Op == token.NEQ {
			return
		}
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			return
		}
	}
	m.swap(s, "!("+m.code(condition)+")")
}

// builtin returns the name of the builtin function that is called, or "".
func (m *mutator) builtin(n *ast.CallExpr) string {
	if name, ok := n.Fun.(*ast.Ident); ok {
		if b, ok := m.info.Uses[name].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// is reports whether a type is a basic one of some kind.
func is(t types.Type, kind types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&kind != 0
}

// results makes each result of a function zero in its turn.
func (m *mutator) results(s *site, n *ast.ReturnStmt, of *ast.FieldList) {
	if len(n.Results) == 0 {
		m.swap(s, "")
		return
	}
	var zeros []string
	for _, field := range of.List {
		for range max(1, len(field.Names)) {
			zeros = append(zeros, zeroOf(field.Type, m.code(field.Type)))
		}
	}
	if len(zeros) != len(n.Results) { // a call with several results
		m.replace(s, n.Results[0].Pos(), n.End(), strings.Join(zeros, ", "))
		return
	}
	for i, result := range n.Results {
		// true and numbers have mutants of their own.
		code := m.code(result)
		if code != zeros[i] && code != "true" && code != "nil" && !strings.HasSuffix(code, "{}") && !isZero(m.info.Types[result].Value) {
			m.replace(s, result.Pos(), result.End(), zeros[i])
		}
	}
}

// isZero reports whether a constant is the zero value; nil is no constant.
func isZero(v constant.Value) bool {
	switch {
	case v == nil:
		return false
	case v.Kind() == constant.Int || v.Kind() == constant.Float:
		return constant.Sign(v) == 0
	}
	return v.ExactString() == `""` || v.ExactString() == "false"
}

// zeroOf writes the zero value of a type.
func zeroOf(t ast.Expr, code string) string {
	switch t := t.(type) {
	case *ast.StarExpr, *ast.MapType, *ast.FuncType, *ast.InterfaceType:
		return "nil"
	case *ast.ArrayType:
		if t.Len == nil {
			return "nil"
		}
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return "false"
		case "int":
			return "0"
		case "string":
			return `""`
		case "error", "any":
			return "nil"
		}
	}
	return "*new(" + code + ")"
}

// choice is the variable that says which mutant is on.
const choice = "theMutantThatIsOn"

// all writes the file with all its mutants in it, all of them off.
func (m *mutator) all() string {
	rest := m.sites
	var write func(from, to int) string
	write = func(from, to int) string {
		var b strings.Builder
		for len(rest) > 0 {
			s := rest[0]
			start, end := m.offset(s.node.Pos()), m.offset(s.node.End())
			if start >= to {
				break
			}
			rest = rest[1:]
			b.WriteString(m.source[from:start])
			b.WriteString(s.choose(write(start, end)))
			from = end
		}
		b.WriteString(m.source[from:to])
		return b.String()
	}
	return write(0, len(m.source))
}

// choose writes a piece with its mutants.
func (s *site) choose(original string) string {
	var b strings.Builder
	switch _, returns := s.node.(*ast.ReturnStmt); {
	case s.typ != "":
		fmt.Fprintf(&b, "func() %s { ", s.typ)
		for _, v := range s.variants {
			fmt.Fprintf(&b, "if %s == %d { return %s }; ", choice, v.id, v.text)
		}
		fmt.Fprintf(&b, "return %s }()", original)
	case returns && original != "return":
		for _, v := range s.variants {
			fmt.Fprintf(&b, "if %s == %d { %s }; ", choice, v.id, v.text)
		}
		b.WriteString(original)
	default:
		for _, v := range s.variants {
			fmt.Fprintf(&b, "if %s == %d { %s } else ", choice, v.id, v.text)
		}
		fmt.Fprintf(&b, "{ %s }", original)
	}
	if s.simple {
		return "func() { " + b.String() + " }()"
	}
	return b.String()
}

// importName is how a file names the packages it imports.
func importName(file *ast.File, own *types.Package) types.Qualifier {
	return func(p *types.Package) string {
		if p == own {
			return ""
		}
		i := slices.IndexFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(p.Path()) })
		switch {
		case i < 0:
			return "?"
		case file.Imports[i].Name != nil:
			return file.Imports[i].Name.Name
		}
		return p.Name()
	}
}
