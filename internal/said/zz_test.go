package said
import ("testing";"fmt";"os";"bufio")
func TestZZ(t *testing.T){
 f,_:=os.Open(os.Getenv("ZZ")); sc:=bufio.NewScanner(f); sc.Buffer(nil,1<<20)
 for sc.Scan(){ line:=sc.Text()
  fmt.Println("U", line)
  for _,c:=range Claims(line,0){ fmt.Printf("     %s | %s | %s f%v c%v d%v e%q rel%q nm%q %s\n",c.Subject,c.Predicate,c.Object,c.Functional,c.Change,c.Denied,c.Ended,c.Relation,c.Name,c.Temporal)}
  if c,ok:=Reported(line,[]string{"anke","Anke"}); ok { fmt.Printf("   A %s | %s | %s f%v c%v d%v rel%q nm%q\n",c.Subject,c.Predicate,c.Object,c.Functional,c.Change,c.Denied,c.Relation,c.Name)}
 }
}
